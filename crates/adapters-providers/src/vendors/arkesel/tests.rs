//! Tests of lookups, checks and callbacks.

use domain::{messaging::delivery::DeliveryEvent, providers::provider::CheckStatus};

use super::*;
use crate::fixture::{self, callback, event_kind, lookup, now, the_report};

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
