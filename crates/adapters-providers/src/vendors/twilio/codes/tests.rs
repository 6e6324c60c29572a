//! Tests of refusals and failures.

use chrono::TimeDelta;

use super::*;

#[test]
fn the_table_is_sorted_and_names_each_code_once() {
    assert!(CODES.0.windows(2).all(|pair| pair[0].0 < pair[1].0));
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
