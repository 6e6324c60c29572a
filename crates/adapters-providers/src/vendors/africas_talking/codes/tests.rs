//! Tests of the vendor's responses.

use domain::messaging::outcome::FollowUp;

use super::*;
use crate::fixture::kind;

fn outcome(answer: &Answer) -> Outcome {
    let mut outcomes = outcomes(answer, &["+233244123456"]);
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0)
}

fn recipient(code: u16) -> Outcome {
    let body = format!(
        r#"{{"SMSMessageData":{{"Message":"Sent to 1/1 Total Cost: KES 0.8000","Recipients":[
            {{"statusCode":{code},"number":"+233244123456","status":"x","cost":"KES 0.8000",
              "messageId":"ATXid_1"}}]}}}}"#
    );
    outcome(&Answer::of(201, &body))
}

#[test]
fn an_accepted_message_has_a_reference() {
    for code in [100, 101, 102] {
        assert_eq!(
            recipient(code),
            Outcome::Accepted { reference: Some("ATXid_1".into()), follow_up: FollowUp::Report }
        );
    }
}

#[test]
fn every_code_of_a_refusal_is_understood() {
    for (code, kind_of, expected) in [
        (401, 'R', Code::BlockedContent),
        (402, 'N', Code::SenderNotAllowed),
        (403, 'R', Code::InvalidRecipient),
        (404, 'R', Code::InvalidRecipient),
        (405, 'N', Code::ProviderBalance),
        (406, 'R', Code::RecipientOptedOut),
        (407, 'N', Code::RecipientUnreachable),
        (409, 'N', Code::SenderNotAllowed),
        (500, 'U', Code::UnknownOutcome),
        (501, 'N', Code::ProviderUnavailable),
        (502, 'N', Code::ProviderRejected),
        (418, 'N', Code::ProviderRejected),
        (999, 'U', Code::UnknownOutcome),
    ] {
        assert_eq!(kind(recipient(code)), (kind_of, expected, Some(code.to_string())), "{code}");
    }
}

#[test]
fn without_recipients_the_message_says_why() {
    for (message, kind_of, code) in [
        ("InvalidSenderId", 'N', Code::SenderNotAllowed),
        ("InsufficientBalance", 'N', Code::ProviderBalance),
        ("Sent to 0/1 Total Cost: 0", 'N', Code::ProviderRejected),
        ("InternalServerError", 'U', Code::UnknownOutcome),
        ("", 'U', Code::UnknownOutcome),
    ] {
        let body = format!(r#"{{"SMSMessageData":{{"Message":"{message}","Recipients":[]}}}}"#);
        let (found, reason, _) = kind(outcome(&Answer::of(201, &body)));
        assert_eq!((found, reason), (kind_of, code), "{message}");
    }
}

#[test]
fn a_refusal_with_a_status_of_its_own_is_read_as_well() {
    let body = r#"{"SMSMessageData":{"Message":"Sent to 0/1 Total Cost: 0","Recipients":[
        {"cost":"0","messageId":"None","number":"+2348031234567",
         "status":"DoNotDisturbRejection","statusCode":409}]}}"#;

    let (found, reason, _) = kind(outcome(&Answer::of(409, body)));

    assert_eq!((found, reason), ('N', Code::SenderNotAllowed));
}

#[test]
fn other_responses_are_judged_by_their_status() {
    for (status, body, kind_of, code) in [
        (201, "", 'U', Code::UnknownOutcome),
        (201, "<html>", 'U', Code::UnknownOutcome),
        (200, r#"{"SMSMessageData":{}}"#, 'U', Code::UnknownOutcome),
        (401, "The supplied authentication is invalid", 'N', Code::ProviderAuth),
        (404, "<html>", 'N', Code::ProviderUnavailable),
        (400, "Must have some recipients", 'R', Code::ProviderRejected),
        (502, r#"{"SMSMessageData":{"Message":"InvalidSenderId"}}"#, 'U', Code::UnknownOutcome),
    ] {
        let (found, reason, _) = kind(outcome(&Answer::of(status, body)));
        assert_eq!((found, reason), (kind_of, code), "{status} {body}");
    }
}

#[test]
fn no_message_id_is_no_reference() {
    let body = r#"{"SMSMessageData":{"Recipients":[{"statusCode":101,"messageId":"None"}]}}"#;

    assert_eq!(
        outcome(&Answer::of(201, body)),
        Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
    );
}

#[test]
fn each_number_of_a_group_has_its_own_outcome() {
    let body = r#"{"SMSMessageData":{"Message":"Sent to 1/3","Recipients":[
        {"statusCode":403,"number":"+233200000002","messageId":"None"},
        {"statusCode":101,"number":"233200000001","messageId":"ATXid_1"}]}}"#;
    let numbers = ["+233200000001", "+233200000002", "+233200000003"];

    let outcomes = outcomes(&Answer::of(201, body), &numbers);

    let taken =
        Outcome::Accepted { reference: Some("ATXid_1".into()), follow_up: FollowUp::Report };
    assert_eq!(outcomes[0], taken);
    assert!(matches!(&outcomes[1], Outcome::Rejected(_)), "{outcomes:?}");
    assert!(matches!(&outcomes[2], Outcome::Unknown(_)), "{outcomes:?}");
}

#[test]
fn a_common_outcome_applies_to_each_number() {
    for (status, body, expected) in [
        (201, r#"{"SMSMessageData":{"Message":"InvalidSenderId","Recipients":[]}}"#, 'N'),
        (429, "", 'N'),
        (500, "", 'U'),
    ] {
        let outcomes = outcomes(&Answer::of(status, body), &["+233200000001", "+233200000002"]);

        assert_eq!(outcomes.len(), 2);
        for outcome in outcomes {
            assert_eq!(kind(outcome).0, expected, "{status} {body}");
        }
    }
}
