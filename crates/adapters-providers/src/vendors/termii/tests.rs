//! Tests of Termii's responses and callbacks.

use std::sync::Arc;

use domain::messaging::delivery::DeliveryEvent;
use ports::providers::provider::MessagingProvider;

use super::*;
use crate::fixture::{self, callback, event_kind, lookup, now, the_report, token};

#[test]
fn an_accepted_message_has_a_reference() {
    for (body, id) in [
        (r#"{"code":"ok","message_id":"912282","message":"Successfully Sent"}"#, "912282"),
        (r#"{"code":"ok","message_id":9122821270554876574}"#, "9122821270554876574"),
        (
            r#"{"code":"ok","message_id":3e24,"message_id_str":"3017545719517588296261695"}"#,
            "3017545719517588296261695",
        ),
        (r#"{"message_id":"912282","balance":9,"user":"Ama"}"#, "912282"),
    ] {
        assert_eq!(outcome(&Answer::of(200, body)), accepted(Some(id.into())), "{body}");
    }
    assert_eq!(outcome(&Answer::of(200, r#"{"code":"ok"}"#)), accepted(None));
}

#[test]
fn the_history_shows_the_status_of_one_message() {
    let entry = |word: &str| {
        format!(r#"{{"receiver":"233241234567","status":"{word}","message_id":"912282"}}"#)
    };
    let asked = |body: &str| {
        termii().lookup_result(&Answer::of(200, body), lookup(&fixture::message(), Some("912282")))
    };

    for body in [
        format!("[{}]", entry("Delivered")),
        format!(r#"{{"data":[{}]}}"#, entry("DELIVERED | Message delivered to handset")),
        format!(r#"{{"data":{{"content":[{}]}}}}"#, entry("delivered")),
    ] {
        let confirmed = DeliveryEvent::Confirmed { at: now() };
        assert_eq!(asked(&body), LookUp::Found(confirmed), "{body}");
    }
    for (word, code) in [
        ("Failed", Code::Undelivered),
        ("Rejected", Code::Undelivered),
        ("Expired", Code::Undelivered),
        ("DND Active on Phone Number", Code::RecipientOptedOut),
    ] {
        let LookUp::Found(event) = asked(&format!("[{}]", entry(word))) else { panic!("{word}") };
        assert_eq!(event_kind(&event), ('R', Some(code)), "{word}");
    }
    for body in ["[]", &format!("[{}]", entry("Sent")), &format!("[{}]", entry("Levitating"))] {
        assert_eq!(asked(body), LookUp::Waiting, "{body}");
    }
    let other = entry("Delivered").replace("912282", "912283");
    assert_eq!(asked(&format!("[{other}]")), LookUp::Waiting);
    assert_eq!(asked("{}"), LookUp::Unavailable);
    assert_eq!(
        termii().lookup_result(&Answer::of(500, "[]"), lookup(&fixture::message(), Some("912282"))),
        LookUp::Unavailable
    );
    assert_eq!(
        termii().lookup_result(&Answer::of(404, "[]"), lookup(&fixture::message(), Some("912282"))),
        LookUp::NotFound
    );
}

const REPORT: &str = r#"{"type":"outbound","message_id":"912282","message_id_str":"912282",
    "receiver":"233241234567","sender":"SHOP","message":"x","sent_at":"2022-08-02 11:30:11",
    "cost":"3.9","status":"DELIVERED | Message delivered to handset","channel":"DND","msgtype":5}"#;

#[test]
fn reports_name_the_message_by_its_reference() {
    let about = the_report(termii().read_callback(&callback(&[], REPORT), now()).unwrap());
    let confirmed = DeliveryEvent::Confirmed { at: now() };
    assert_eq!(about, (MessageRef::Vendors("912282".into()), confirmed));

    for (word, expected) in [
        ("Message Sent", ('A', None)),
        ("Message Failed", ('R', Some(Code::Undelivered))),
        ("DND Active on Phone Number", ('R', Some(Code::RecipientOptedOut))),
    ] {
        let body = REPORT.replace("DELIVERED | Message delivered to handset", word);
        let (_, event) = the_report(termii().read_callback(&callback(&[], &body), now()).unwrap());
        assert_eq!(event_kind(&event), expected, "{word}");
    }
}

#[test]
fn an_inbound_text_is_accepted() {
    let body = r#"{"type":"inbound","id":"8248","message_id":"3905","receiver":"12022214836",
        "sender":"233241234567","message":"STOP ","received_at":"2023-11-14T22:13:20.000000Z",
        "cost":null,"command":"Received","status":"Received","channel":null}"#;

    let received = termii().read_callback(&callback(&[], body), DateTime::UNIX_EPOCH).unwrap();

    assert_eq!(received.inbound, [inbound_sms("233241234567", "STOP", now()).unwrap()]);
    assert!(received.reports.is_empty());
}

#[test]
fn other_events_are_ignored_and_nonsense_is_refused() {
    let device = r#"{"type":"device_status","status":"offline"}"#;
    assert_eq!(termii().read_callback(&callback(&[], device), now()), Ok(Received::default()));
    let unknown = REPORT.replace("DELIVERED", "Levitating");
    assert_eq!(termii().read_callback(&callback(&[], &unknown), now()), Ok(Received::default()));
    for body in ["", "{", "{}", r#"{"type":"inbound"}"#, r#"{"message_id":"1"}"#] {
        let refused = termii().read_callback(&callback(&[], body), now());
        assert_eq!(refused, Err(CallbackRefused::Malformed), "{body}");
    }
}

fn declared(credentials: &[(&str, &str)]) -> Declaration {
    fixture::declared("termii", Channel::Sms, credentials)
}

fn termii() -> Termii {
    Termii::read(&declared(&[("api_key", "key")])).unwrap().0
}

fn provider(credentials: &[(&str, &str)]) -> Arc<dyn MessagingProvider> {
    fixture::provider(&declared(credentials))
}

fn signed(key: &str) -> Callback {
    let signature = hex(&hmac_sha512(key.as_bytes(), REPORT.as_bytes()));
    let headers = vec![("x-termii-signature".to_owned(), signature.to_uppercase())];
    Callback { headers, ..callback(&[], REPORT) }
}

#[test]
fn with_the_secret_key_only_its_signature_is_accepted() {
    let provider = provider(&[("api_key", "key"), ("secret_key", "secret")]);
    let with_token = callback(&[("token", &token("one"))], REPORT);

    assert!(provider.receive(&signed("secret")).is_ok());
    for call in [signed("key"), with_token, callback(&[], REPORT)] {
        assert_eq!(provider.receive(&call), Err(CallbackRefused::Unauthorized));
    }
    let tampered = Callback { body: b"{}".to_vec(), ..signed("secret") };
    assert_eq!(provider.receive(&tampered), Err(CallbackRefused::Unauthorized));
}

#[test]
fn without_it_the_token_or_the_api_key_is_proof() {
    let provider = provider(&[("api_key", "key")]);
    let with_token = |token: &str| callback(&[("token", token)], REPORT);

    assert!(provider.receive(&signed("key")).is_ok());
    assert!(provider.receive(&with_token(&token("one"))).is_ok());
    for call in [signed("other"), with_token("x"), callback(&[], REPORT)] {
        assert_eq!(provider.receive(&call), Err(CallbackRefused::Unauthorized));
    }
}

#[test]
fn the_channel_is_one_that_exists() {
    let mut declaration = fixture::declaration("termii", Channel::Sms);
    declaration.credentials.insert("api_key".into(), Secret::new("key"));
    for (channel, is_good) in [("generic", true), ("dnd", true), ("whatsapp", false)] {
        declaration.options.insert("channel".into(), channel.into());
        assert_eq!(declaration.check().is_ok(), is_good, "{channel}");
    }
}
