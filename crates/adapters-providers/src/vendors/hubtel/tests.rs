//! Tests of Hubtel's responses and callbacks.

use domain::messaging::delivery::DeliveryEvent;

use super::*;
use crate::{
    fixture::{self, batch, callback, event_kind, kind, lookup, now, the_report, token},
    secret::Secret,
};

#[test]
fn an_accepted_message_has_a_reference() {
    let text = r#"{"rate":0.0309,"messageId":"9c5f","status":"0","networkId":"62001"}"#;
    assert_eq!(outcome(&Answer::of(201, text)), accepted(Some("9c5f".into())));
    let old = r#"{"Rate":0,"MessageId":"43cc","Status":0,"NetworkId":"62002"}"#;
    assert_eq!(outcome(&Answer::of(200, old)), accepted(Some("43cc".into())));
    assert_eq!(outcome(&Answer::of(201, r#"{"status":0}"#)), accepted(None));
}

#[test]
fn a_batch_that_is_refused_is_refused_as_a_whole() {
    let messages = [fixture::sms("+233244123456"), fixture::sms("+233204123456")];
    for (http, body, kind_of, code) in [
        (201, r#"{"status":1,"data":[]}"#, 'R', Code::InvalidRecipient),
        (402, r#"{"status":12}"#, 'N', Code::ProviderBalance),
        (201, r#"{"status":0}"#, 'U', Code::UnknownOutcome),
        (500, "", 'U', Code::UnknownOutcome),
    ] {
        let refused =
            Hubtel.send_result(&Answer::of(http, body), batch(&messages.each_ref())).unwrap_err();
        assert_eq!(kind(&refused), (kind_of, code), "{http} {body}");
    }
}

#[test]
fn a_lookup_has_the_time_of_the_report() {
    let body = r#"{"rate":0.0309,"batchId":null,"messageId":"9c5f","content":"x",
        "status":"Delivered","updateTime":"2023-11-14T22:13:15","time":"2023-11-14T22:13:13.72Z"}"#;
    let at = loose_json::time("2023-11-14T22:13:15Z").unwrap();
    let asked = |status: u16, word: &str| {
        Hubtel.lookup_result(
            &Answer::of(status, &body.replace("Delivered", word)),
            lookup(&fixture::message(), None),
        )
    };

    assert_eq!(asked(200, "Delivered"), LookUp::Found(DeliveryEvent::Confirmed { at }));
    for word in ["Sent", "Pending", "Submitted", "Levitating"] {
        assert_eq!(asked(200, word), LookUp::Waiting, "{word}");
    }
    for (word, code) in [
        ("Undelivered", Code::Undelivered),
        ("Rejected", Code::Undelivered),
        ("Unroutable", Code::Undelivered),
        ("Blacklisted", Code::RecipientOptedOut),
    ] {
        let LookUp::Found(event) = asked(200, word) else { panic!("{word}") };
        assert_eq!(event_kind(&event), ('R', Some(code)), "{word}");
    }
    assert_eq!(asked(404, "Delivered"), LookUp::NotFound);
    assert_eq!(asked(500, "Delivered"), LookUp::Unavailable);
    assert_eq!(
        Hubtel.lookup_result(&Answer::of(200, "{}"), lookup(&fixture::message(), None)),
        LookUp::Unavailable
    );
}

#[test]
fn reports_name_the_message_by_our_reference_if_they_have_it() {
    let message = fixture::message();
    let id = message.id.internal();
    let vendors = MessageRef::Vendors("9c5f".into());
    for (query, body, about) in [
        (vec![("messageId", "9c5f"), ("status", "Delivered")], String::new(), vendors.clone()),
        (vec![], "MessageId=9c5f&Status=Delivered".into(), vendors.clone()),
        (
            vec![],
            format!(r#"{{"messageId":"9c5f","clientReference":"{id}","status":"Delivered"}}"#),
            MessageRef::Ours(message.id),
        ),
        (
            vec![],
            r#"{"messageId":"9c5f","clientReference":"x","status":"Delivered"}"#.into(),
            vendors,
        ),
    ] {
        let received = Hubtel.read_callback(&callback(&query, &body), now()).unwrap();
        assert_eq!(the_report(received), (about, DeliveryEvent::Confirmed { at: now() }), "{body}");
    }
}

#[test]
fn an_unknown_status_is_no_report() {
    let call = callback(&[("messageId", "9c5f"), ("status", "Levitating")], "");

    assert_eq!(Hubtel.read_callback(&call, now()), Ok(Received::default()));
}

#[test]
fn an_inbound_text_is_accepted() {
    let call = callback(&[], "from=%2B233241234567&to=1404&message=STOP&date=2023-11-14+22:13:20");

    let received = Hubtel.read_callback(&call, DateTime::UNIX_EPOCH).unwrap();

    assert_eq!(received.inbound, [inbound_sms("+233241234567", "STOP", now()).unwrap()]);
}

#[test]
fn nonsense_is_refused() {
    for body in ["", "{", "{}", "status=Delivered", "from=233241234567", "<xml/>"] {
        let refused = Hubtel.read_callback(&callback(&[], body), now());
        assert_eq!(refused, Err(CallbackRefused::Malformed), "{body}");
    }
}

#[test]
fn only_the_token_is_accepted() {
    let mut declaration = fixture::declaration("hubtel", Channel::Sms);
    for (key, text) in [("client_id", "id"), ("client_secret", "secret")] {
        declaration.credentials.insert(key.into(), Secret::new(text));
    }
    let provider = fixture::provider(&declaration);
    let shown = token("one");
    let report = [("messageId", "9c5f"), ("status", "Sent")];

    let of = |token: &str| {
        provider.receive(&callback(&[&[("token", token)], &report[..]].concat(), "")).map(drop)
    };
    assert_eq!(of(&shown), Ok(()));
    assert_eq!(of(&token("another")), Err(CallbackRefused::Unauthorized));
}
