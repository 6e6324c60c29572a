//! Tests of refusals.

use chrono::TimeDelta;
use domain::messaging::outcome::FollowUp;

use super::*;
use crate::fixture::kind;

fn refused(status: u16, code: u32) -> (char, Code, Option<String>) {
    let body =
        format!(r#"{{"code":{code},"message":"no","more_info":"https://x","status":{status}}}"#);
    kind(outcome(&Answer::of(status, &body)))
}

#[test]
fn a_created_resource_has_a_reference() {
    let answer = Answer::of(201, r#"{"sid":"SM1","status":"queued","error_code":null}"#);

    let expected = Outcome::Accepted { reference: Some("SM1".into()), follow_up: FollowUp::Report };
    assert_eq!(outcome(&answer), expected);
}

#[test]
fn the_table_is_sorted_and_names_each_code_once() {
    assert!(CODES.0.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn known_codes_are_understood() {
    for (status, code, expected, reason) in [
        (400, 21_211, 'R', Code::InvalidRecipient),
        (400, 21_614, 'R', Code::InvalidRecipient),
        (400, 21_610, 'R', Code::RecipientOptedOut),
        (400, 30_007, 'R', Code::BlockedContent),
        (400, 63_016, 'R', Code::SessionWindowClosed),
        (400, 21_606, 'N', Code::SenderNotAllowed),
        (400, 14_107, 'N', Code::RecipientUnreachable),
        (400, 21_214, 'N', Code::RecipientUnreachable),
        (400, 21_612, 'N', Code::RecipientUnreachable),
        (400, 21_408, 'N', Code::ProviderRejected),
        (429, 20_429, 'N', Code::ProviderThrottled),
        (400, 30_001, 'N', Code::ProviderThrottled),
        (400, 63_018, 'N', Code::ProviderThrottled),
        (401, 20_003, 'N', Code::ProviderAuth),
        (400, 30_002, 'N', Code::ProviderAuth),
        (400, 30_410, 'U', Code::UnknownOutcome),
        (404, 20_404, 'N', Code::ProviderUnavailable),
    ] {
        assert_eq!(refused(status, code), (expected, reason, Some(code.to_string())), "{code}");
    }
}

#[test]
fn unknown_codes_leave_the_message_to_others() {
    let not_accepted = ('N', Code::ProviderRejected, Some("99999".into()));
    assert_eq!(refused(400, 99_999), not_accepted);
    assert_eq!(refused(404, 99_999), not_accepted);
    assert_eq!(refused(403, 99_999), ('N', Code::ProviderAuth, Some("403".into())));
    assert_eq!(refused(429, 99_999), ('N', Code::ProviderThrottled, Some("429".into())));
}

#[test]
fn without_a_code_the_status_decides() {
    for (status, body, expected, reason) in [
        (404, "<html>", 'N', Code::ProviderUnavailable),
        (405, "", 'N', Code::ProviderUnavailable),
        (400, "", 'R', Code::ProviderRejected),
        (401, "", 'N', Code::ProviderAuth),
        (500, r#"{"code":21211}"#, 'U', Code::UnknownOutcome),
        (503, r#"{"code":20503}"#, 'N', Code::ProviderUnavailable),
        (201, "{}", 'U', Code::UnknownOutcome),
        (201, r#"{"sid":""}"#, 'U', Code::UnknownOutcome),
        (200, "<html>", 'U', Code::UnknownOutcome),
    ] {
        let (found, code, _) = kind(outcome(&Answer::of(status, body)));
        assert_eq!((found, code), (expected, reason), "{status} {body}");
    }
}

#[test]
fn a_temporary_refusal_has_a_time_to_wait() {
    let wait = Some(TimeDelta::seconds(9));
    let mut answer = Answer::of(429, r#"{"code":20429}"#);
    answer.retry_after = wait;

    let Outcome::NotAccepted { retry_after, .. } = outcome(&answer) else { panic!() };
    assert_eq!(retry_after, wait);
}

#[test]
fn a_message_that_was_given_up_has_a_reason() {
    for (code, reason) in [
        (Some(63_016), Code::SessionWindowClosed),
        (Some(30_003), Code::Undelivered),
        (Some(30_006), Code::InvalidRecipient),
        (Some(30_007), Code::BlockedContent),
        (Some(30_001), Code::ProviderThrottled),
        (Some(30_410), Code::Undelivered),
        (Some(30_008), Code::Undelivered),
        (None, Code::Undelivered),
    ] {
        let failure = super::failure(code);
        assert_eq!(failure.code, reason, "{code:?}");
        assert_eq!(failure.vendor_code, code.map(|code| code.to_string()));
    }
}
