//! Tests of Meta's webhooks.

use domain::{
    identity::organization::PLATFORM,
    messaging::{callback::CallbackAnswer, message::Message},
    shared::id::Id,
};

use super::*;

/// `printf %s '{"object":"whatsapp_business_account","entry":[]}' | openssl dgst -sha256 -hmac s3cr3t`
const EMPTY: &str = r#"{"object":"whatsapp_business_account","entry":[]}"#;
const EMPTY_SIGNATURE: &str =
    "sha256=db780e74b7152a02fc0b09479909f9711f095199be060883718889797fa8638d";

fn proof() -> Proof {
    Proof { app_secret: Secret::new("s3cr3t"), verify_token: Secret::new("v3rify") }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

fn receive(callback: &Callback) -> Result<Received, CallbackRefused> {
    proof().verify(callback)?;
    read(callback, "1", now())
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn asked(query: &[(&str, &str)]) -> Result<Received, CallbackRefused> {
    let callback = Callback {
        method: CallbackMethod::Get,
        url: "https://notify.example.com/callbacks/providers/meta".into(),
        query: owned(query),
        headers: Vec::new(),
        body: Vec::new(),
    };
    receive(&callback)
}

fn posted(body: &str, signature: Option<&str>) -> Result<Received, CallbackRefused> {
    let header = signature.map(|signature| ("x-hub-signature-256", signature));
    let callback = Callback {
        method: CallbackMethod::Post,
        url: "https://notify.example.com/callbacks/providers/meta".into(),
        query: Vec::new(),
        headers: owned(&header.into_iter().collect::<Vec<_>>()),
        body: body.as_bytes().to_vec(),
    };
    receive(&callback)
}

fn signed(body: &str) -> Result<Received, CallbackRefused> {
    let digest = signature::hex(&signature::hmac_sha256(b"s3cr3t", body.as_bytes()));
    posted(body, Some(&format!("sha256={digest}")))
}

fn value(value: &str) -> Received {
    let body = format!(
        r#"{{"object":"whatsapp_business_account","entry":[{{"id":"102290129340398","changes":[
            {{"value":{{"messaging_product":"whatsapp","metadata":{{"phone_number_id":"1"}},
              {value}}},"field":"messages"}}]}}]}}"#
    );
    signed(&body).unwrap()
}

#[test]
fn the_handshake_returns_the_challenge_for_the_right_token() {
    let good = [
        ("hub.mode", "subscribe"),
        ("hub.challenge", "1158201444"),
        ("hub.verify_token", "v3rify"),
    ];
    let answer = CallbackAnswer::Text("text/plain", "1158201444".into());
    assert_eq!(asked(&good), Ok(Received { answer, ..Received::default() }));

    for (at, value) in [(0, "unsubscribe"), (2, "v3rifx"), (2, "")] {
        let mut bad = good;
        bad[at].1 = value;
        assert_eq!(asked(&bad), Err(CallbackRefused::Unauthorized), "{value}");
    }
    assert_eq!(asked(&good[..2]), Err(CallbackRefused::Unauthorized));
    assert_eq!(asked(&[good[0], good[2]]), Err(CallbackRefused::Malformed));
}

#[test]
fn only_signed_webhooks_are_read() {
    assert_eq!(posted(EMPTY, Some(EMPTY_SIGNATURE)), Ok(Received::default()));
    let upper = EMPTY_SIGNATURE.to_uppercase();
    let bare = EMPTY_SIGNATURE.trim_start_matches("sha256=");
    for signature in [None, Some(""), Some("sha256="), Some(bare), Some(upper.as_str())] {
        let refused = posted(EMPTY, signature);
        assert_eq!(refused, Err(CallbackRefused::Unauthorized), "{signature:?}");
    }
    let changed = EMPTY.replace("[]", "[ ]");
    assert_eq!(posted(&changed, Some(EMPTY_SIGNATURE)), Err(CallbackRefused::Unauthorized));
    for garbage in ["", "[]", "{}", r#"{"entry":7}"#, "hub.mode=subscribe"] {
        assert_eq!(signed(garbage), Err(CallbackRefused::Malformed), "{garbage}");
    }
}

#[test]
fn events_of_other_numbers_are_left_to_their_providers() {
    let change = |number: &str, id: &str| {
        format!(
            r#"{{"value":{{"metadata":{{"phone_number_id":"{number}"}},
                "statuses":[{{"id":"{id}","status":"read"}}],
                "messages":[{{"from":"233241234567","text":{{"body":"{id}"}}}}]}}}}"#
        )
    };
    let of = |changes: &[String]| {
        signed(&format!(r#"{{"entry":[{{"changes":[{}]}}]}}"#, changes.join(","))).unwrap()
    };

    let both = of(&[change("2", "wamid.2"), change("1", "wamid.1")]);
    let abouts: Vec<_> = both.reports.into_iter().map(|report| report.about).collect();
    assert_eq!(abouts, [MessageRef::Vendors("wamid.1".into())]);
    let texts: Vec<_> = both.inbound.into_iter().map(|inbound| inbound.text).collect();
    assert_eq!(texts, ["wamid.1"]);
    assert!(both.concerns_others);

    assert!(!of(&[change("1", "wamid.1")]).concerns_others);
    let theirs = Received { concerns_others: true, ..Received::default() };
    assert_eq!(of(&[change("2", "wamid.2")]), theirs);
}

#[test]
fn a_report_names_our_message_or_else_metas() {
    let id = Id::<Message>::new_in(now(), PLATFORM);
    let received = value(&format!(
        r#""statuses":[
            {{"id":"wamid.1","status":"delivered","timestamp":"1700000007","recipient_id":"233",
              "biz_opaque_callback_data":"{}","pricing":{{"billable":true}}}},
            {{"id":"wamid.2","status":"delivered","timestamp":"1700000007",
              "biz_opaque_callback_data":"of another application"}},
            {{"id":"wamid.3","status":"delivered","timestamp":"1700000007"}}]"#,
        id.internal()
    ));

    let at = DateTime::from_timestamp(1_700_000_007, 0).unwrap();
    let about: Vec<_> = received.reports.iter().map(|report| report.about.clone()).collect();
    let vendors = |id: &str| MessageRef::Vendors(id.to_owned());
    assert_eq!(about, [MessageRef::Ours(id), vendors("wamid.2"), vendors("wamid.3")]);
    assert!(received.reports.iter().all(|it| it.event == DeliveryEvent::Confirmed { at }));
}

#[test]
fn every_status_is_understood() {
    let at = now();
    for (status, expected) in [
        ("sent", Some(DeliveryEvent::Accepted { at })),
        ("delivered", Some(DeliveryEvent::Confirmed { at })),
        ("read", Some(DeliveryEvent::Confirmed { at })),
        ("deleted", None),
        ("warning", None),
    ] {
        let received = value(&format!(r#""statuses":[{{"id":"wamid.1","status":"{status}"}}]"#));
        let event = received.reports.into_iter().next().map(|report| report.event);
        assert_eq!(event, expected, "{status}");
    }
}

#[test]
fn a_failure_says_why() {
    use FailureCode as Code;
    for (errors, code, vendor_code) in [
        (r#","errors":[{"code":131047,"title":"x"}]"#, Code::SessionWindowClosed, "131047"),
        (r#","errors":[{"code":131026}]"#, Code::InvalidRecipient, "131026"),
        (r#","errors":[{"code":131049},{"code":1}]"#, Code::ProviderRejected, "131049"),
        (r#","errors":[{"code":130429}]"#, Code::ProviderThrottled, "130429"),
        (r#","errors":[{"code":131000}]"#, Code::Undelivered, "131000"),
        (r#","errors":[{"code":777777}]"#, Code::Undelivered, "777777"),
        (r#","errors":[]"#, Code::Undelivered, "failed"),
        (r#","errors":null"#, Code::Undelivered, "failed"),
        ("", Code::Undelivered, "failed"),
    ] {
        let received =
            value(&format!(r#""statuses":[{{"id":"wamid.1","status":"failed"{errors}}}]"#));
        let event = received.reports.into_iter().next().map(|report| report.event);
        let Some(DeliveryEvent::Rejected { failure, .. }) = event else { panic!("{errors}") };
        let codes = (failure.code, failure.vendor_code.as_deref());
        assert_eq!(codes, (code, Some(vendor_code)), "{errors}");
    }
}

#[test]
fn texts_and_pressed_buttons_are_inbound() {
    let received = value(
        r#""contacts":[{"profile":{"name":"Ama"},"wa_id":"233244123456"}],"messages":[
            {"from":"233244123456","id":"wamid.1","timestamp":"1700000009","type":"text",
             "text":{"body":"STOP"}},
            {"from":"233244123456","id":"wamid.2","timestamp":1700000009,"type":"button",
             "button":{"text":"Unsubscribe","payload":"x"}},
            {"from":"233244123456","id":"wamid.3","timestamp":"1700000009","type":"interactive",
             "interactive":{"type":"button_reply","button_reply":{"id":"1","title":"Yes"}}},
            {"from":"233244123456","id":"wamid.4","timestamp":"1700000009","type":"interactive",
             "interactive":{"type":"list_reply","list_reply":{"id":"1","title":"Accra"}}},
            {"from":"233244123456","id":"wamid.5","timestamp":"1700000009","type":"image",
             "image":{"id":"7"}}]"#,
    );

    let texts: Vec<_> = received.inbound.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["STOP", "Unsubscribe", "Yes", "Accra"]);
    let at = DateTime::from_timestamp(1_700_000_009, 0).unwrap();
    for inbound in &received.inbound {
        assert_eq!(inbound.channel, Channel::WhatsApp);
        assert_eq!(inbound.from.as_str(), "+233244123456");
        assert_eq!(inbound.at, at);
    }
}

#[test]
fn a_number_in_metas_own_format_is_kept_but_a_name_is_not() {
    let from = |from: &str| {
        let text = r#""type":"text","text":{"body":"STOP"}"#;
        let received = value(&format!(r#""messages":[{{"from":"{from}",{text}}}]"#));
        received.inbound.into_iter().next().map(|inbound| inbound.from.as_str().to_owned())
    };

    assert_eq!(from("551692318222"), Some("+551692318222".into()));
    assert_eq!(from("US.13491208655302741918"), None);
    assert_eq!(from(""), None);
}

#[test]
fn malformed_items_do_not_hide_others() {
    let received = value(
        r#""statuses":[7,{"status":"read"},{"id":"wamid.1","status":"read","timestamp":"soon"}],
           "messages":[null,{"from":"233244123456","text":{"body":"Hi"}}],"errors":[{}]"#,
    );

    assert_eq!(received.reports.len(), 1);
    assert_eq!(received.reports[0].event, DeliveryEvent::Confirmed { at: now() });
    assert_eq!(received.inbound.len(), 1);
    assert_eq!(received.inbound[0].at, now());
}
