//! Tests of Arkesel's responses and callbacks.

use domain::{messaging::delivery::DeliveryEvent, providers::provider::CheckStatus};

use super::*;
use crate::{
    fixture::{self, batch, callback, event_kind, kind, lookup, now, sms as message, the_report},
    secret::Secret,
    signature::callback_token as token,
};

const TAKEN: &str = r#"{"status":"success","data":[
    {"recipient":"233241234567","id":"9b75"},{"recipient":"233201234567","id":"9b76"},
    {"invalid numbers":["233"]}]}"#;

fn refused(status: u16, body: &str) -> (char, Code) {
    let outcomes =
        Arkesel.send_result(&Answer::of(status, body), batch(&[&message("+233241234567")]));
    let (kind, code, _) = kind(outcomes.unwrap_err());
    (kind, code)
}

#[test]
fn each_recipient_has_its_own_reference() {
    let messages = ["+233201234567", "+233", "+233241234567", "+233241234567"].map(message);

    let outcomes =
        Arkesel.send_result(&Answer::of(200, TAKEN), batch(&messages.each_ref())).unwrap();

    let rejected = Rejected(Code::InvalidRecipient).outcome("invalid numbers", None);
    let taken = |id: &str| accepted(Some(id.to_owned()));
    assert_eq!(outcomes[..3], [taken("9b76"), rejected, taken("9b75")]);
    // The vendor mentions only one message to that number.
    assert_eq!(outcomes[3], not_mentioned());
}

#[test]
fn a_list_of_bad_numbers_may_come_alone() {
    let body = r#"{"status":"success","data":{"invalid numbers":["0241234567"]}}"#;

    let outcomes =
        Arkesel.send_result(&Answer::of(200, body), batch(&[&message("+233241234567")])).unwrap();

    assert_eq!(outcomes, [Rejected(Code::InvalidRecipient).outcome("invalid numbers", None)]);
}

#[test]
fn the_text_of_a_refusal_is_understood() {
    for (body, expected) in [
        (r#"{"status":"error","message":"Invalid sender ID"}"#, ('N', Code::SenderNotAllowed)),
        (r#"{"status":"error","message":"Insufficient balance!"}"#, ('N', Code::ProviderBalance)),
        (r#"{"status":"error","message":"Invalid coverage"}"#, ('N', Code::RecipientUnreachable)),
        (r#"{"status":"error","message":"Inactive Gateway"}"#, ('N', Code::ProviderUnavailable)),
        (r#"{"status":"error","message":"Invalid API key"}"#, ('N', Code::ProviderAuth)),
        (r#"{"status":"error","message":"Spam words"}"#, ('R', Code::BlockedContent)),
        (
            r#"{"status":"error","message":"Invalid","errors":{"recipients":["x"]}}"#,
            ('R', Code::InvalidRecipient),
        ),
        (
            r#"{"status":"error","message":"Invalid","errors":{"sender":["too long"]}}"#,
            ('N', Code::SenderNotAllowed),
        ),
    ] {
        for status in [200, 400, 422] {
            assert_eq!(refused(status, body), expected, "{status} {body}");
        }
    }
}

#[test]
fn other_responses_are_judged_by_their_status() {
    let sender = r#"{"status":"error","message":"Invalid sender"}"#;
    for (status, body, expected) in [
        (200, "{}", ('U', Code::UnknownOutcome)),
        (200, r#"{"status":"error","message":"Oops"}"#, ('U', Code::UnknownOutcome)),
        (401, sender, ('N', Code::ProviderAuth)),
        (402, sender, ('N', Code::ProviderBalance)),
        (403, sender, ('N', Code::ProviderAuth)),
        (404, "", ('N', Code::ProviderUnavailable)),
        (422, "", ('R', Code::ProviderRejected)),
        (500, TAKEN, ('U', Code::UnknownOutcome)),
    ] {
        assert_eq!(refused(status, body), expected, "{status} {body}");
    }
}

#[test]
fn a_message_can_be_looked_up() {
    let asked = |status: u16, word: &str| {
        let body = format!(
            r#"{{"status":"success","data":{{"ID":"9b75","status":"{word}","sender":"SHOP",
                "recipient":"233241234567","sent_at_time":"2021-04-09 18:44:05"}}}}"#
        );
        Arkesel.lookup_result(&Answer::of(status, &body), lookup(&fixture::message(), None))
    };
    assert_eq!(asked(200, "DELIVERED"), LookUp::Found(DeliveryEvent::Confirmed { at: now() }));
    for word in ["SUBMITTED", "QUEUED", "LEVITATING"] {
        assert_eq!(asked(200, word), LookUp::Waiting, "{word}");
    }
    for (word, code) in [
        ("NOT_DELIVERED", Code::Undelivered),
        ("NOT DELIVERED", Code::Undelivered),
        ("EXPIRED", Code::Undelivered),
        ("PROHIBITED", Code::BlockedContent),
    ] {
        let LookUp::Found(event) = asked(200, word) else { panic!("{word}") };
        assert_eq!(event_kind(&event), ('R', Some(code)), "{word}");
    }
    assert_eq!(asked(404, "DELIVERED"), LookUp::NotFound);
    assert_eq!(asked(500, "DELIVERED"), LookUp::Unavailable);
    assert_eq!(
        Arkesel.lookup_result(
            &Answer::of(200, r#"{"status":"error"}"#),
            lookup(&fixture::message(), None)
        ),
        LookUp::Unavailable
    );
}

#[test]
fn a_balance_in_money_counts_like_texts() {
    for (data, status) in [
        (r#"{"sms_balance":"1,000","main_balance":"GHS 0.00"}"#, CheckStatus::Up),
        (r#"{"sms_balance":0,"main_balance":"GHS 12.50"}"#, CheckStatus::Up),
        (r#"{"sms_balance":"3","main_balance":"GHS 0.10"}"#, CheckStatus::Degraded),
        (r"{}", CheckStatus::Degraded),
    ] {
        let body = format!(r#"{{"status":"success","data":{data}}}"#);
        assert_eq!(Arkesel.check_result(&Answer::of(200, &body)).status, status, "{data}");
    }
}

#[test]
fn reports_name_the_message_as_the_address_does() {
    let message = fixture::message();
    let id = message.id.internal();
    let report = [("token", "x"), ("sms_id", "9b75"), ("status", "DELIVERED")];
    let confirmed = DeliveryEvent::Confirmed { at: now() };

    let named = callback(&[&[("message", id.as_str())], &report[..]].concat(), "");
    let about = the_report(Arkesel.read_callback(&named, now()).unwrap());
    assert_eq!(about, (MessageRef::Ours(message.id), confirmed.clone()));

    let about = the_report(Arkesel.read_callback(&callback(&report, ""), now()).unwrap());
    assert_eq!(about, (MessageRef::Vendors("9b75".into()), confirmed));

    let spoilt = format!("{id}?sms_id=9b75");
    let spoilt = callback(&[("message", spoilt.as_str()), ("status", "DELIVERED")], "");
    assert_eq!(
        the_report(Arkesel.read_callback(&spoilt, now()).unwrap()).0,
        MessageRef::Ours(message.id)
    );

    let unknown = callback(&[("sms_id", "9b75"), ("status", "LEVITATING")], "");
    assert_eq!(Arkesel.read_callback(&unknown, now()), Ok(Received::default()));
    for (query, body) in
        [(vec![("sms_id", "9b75")], ""), (vec![("status", "SENT")], ""), (vec![], "{")]
    {
        let refused = Arkesel.read_callback(&callback(&query, body), now());
        assert_eq!(refused, Err(CallbackRefused::Malformed), "{query:?}");
    }
}

#[test]
fn only_the_token_is_accepted() {
    let mut declaration = fixture::declaration("arkesel", Channel::Sms);
    declaration.credentials.insert("api_key".into(), Secret::new("key"));
    let provider = fixture::provider(&declaration);
    let of = |token: &str| {
        let query = [("token", token), ("sms_id", "9b75"), ("status", "SENT")];
        provider.receive(&callback(&query, "")).map(drop)
    };

    assert_eq!(of(&token("key", "one")), Ok(()));
    assert_eq!(of(&token("key", "another")), Err(CallbackRefused::Unauthorized));
}
