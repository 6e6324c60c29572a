//! Tests of Twilio's callbacks.

use std::sync::Arc;

use domain::{
    messaging::{
        callback::{CallbackMethod, Inbound, VendorReport},
        delivery::{Failure, FailureCode},
    },
    shared::{address::Address, channel::Channel},
};
use ports::providers::provider::MessagingProvider;

use super::*;
use crate::fixture::{self, declaration};

const TOKEN: &str = "t0k3n";
const URL: &str = "https://notify.example.com/callbacks/providers/one";

fn provider(kind: &str, channel: Channel) -> Arc<dyn MessagingProvider> {
    let declaration = Declaration {
        credentials: [("account_sid", "AC1"), ("auth_token", TOKEN)]
            .map(|(key, text)| (key.into(), Secret::new(text)))
            .into(),
        ..declaration(kind, channel)
    };
    crate::build(&declaration, &fixture::deps()).unwrap().1
}

fn sms() -> Arc<dyn MessagingProvider> {
    provider("twilio", Channel::Sms)
}

/// Returns a callback with a valid signature.
fn signed(query: &str, body: &str) -> Callback {
    let url = if query.is_empty() { URL.to_owned() } else { format!("{URL}?{query}") };
    let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let mut callback = Callback {
        method: CallbackMethod::Post,
        url,
        query: query.split('&').filter_map(|pair| pair.split_once('=')).map(pair).collect(),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    };
    let signature = signature::signature(TOKEN, &callback.url, &Fields::of_form(&callback));
    callback.headers.push(("x-twilio-signature".into(), signature));
    callback
}

fn now() -> DateTime<Utc> {
    fixture::now()
}

fn empty() -> CallbackAnswer {
    CallbackAnswer::Text("text/xml", "<Response/>".into())
}

#[test]
fn a_report_names_our_message_if_the_address_did() {
    let id = fixture::message().id;
    let body = "MessageSid=SM1&MessageStatus=delivered&SmsStatus=delivered&To=%2B233244123456";
    for (query, about) in [
        (format!("message={id}"), MessageRef::Ours(id)),
        (String::new(), MessageRef::Vendors("SM1".into())),
        ("message=x".to_owned(), MessageRef::Vendors("SM1".into())),
    ] {
        let received = sms().receive(&signed(&query, body)).unwrap();

        let event = DeliveryEvent::Confirmed { at: now() };
        let reports = vec![VendorReport { about, event }];
        assert_eq!(received, Received { reports, answer: empty(), ..Received::default() });
    }
}

#[test]
fn a_message_outside_the_window_is_rejected_for_that() {
    let whatsapp = provider("twilio-whatsapp", Channel::WhatsApp);
    let body = "MessageSid=SM1&MessageStatus=undelivered&ErrorCode=63016";

    let received = whatsapp.receive(&signed("", body)).unwrap();

    let [VendorReport { event: DeliveryEvent::Rejected { failure, .. }, .. }] =
        received.reports.as_slice()
    else {
        panic!("{received:?}")
    };
    assert_eq!(failure.code, FailureCode::SessionWindowClosed);
    assert_eq!(failure.vendor_code.as_deref(), Some("63016"));
}

#[test]
fn an_unknown_status_is_accepted_without_an_event() {
    let received = sms().receive(&signed("", "MessageSid=SM1&MessageStatus=new")).unwrap();

    assert_eq!(received, Received { answer: empty(), ..Received::default() });
}

#[test]
fn an_inbound_message_is_read_on_its_own_channel_only() {
    let written = |from: &str| {
        let body = format!("MessageSid=SM1&SmsStatus=received&From={from}&To=x&Body=Stop+%26+go");
        signed("", &body)
    };
    let inbound = |channel| Inbound {
        channel,
        from: Address::stored("+233244123456".into()),
        text: "Stop & go".into(),
        at: now(),
    };
    let whatsapp = provider("twilio-whatsapp", Channel::WhatsApp);
    for (provider, from, expected) in [
        (sms(), "%2B233244123456", vec![inbound(Channel::Sms)]),
        (sms(), "whatsapp%3A%2B233244123456", vec![]),
        (sms(), "1404", vec![]),
        (whatsapp.clone(), "whatsapp%3A%2B233244123456", vec![inbound(Channel::WhatsApp)]),
        (whatsapp, "%2B233244123456", vec![]),
    ] {
        let received = provider.receive(&written(from)).unwrap();

        assert_eq!(received.inbound, expected, "{from}");
        assert_eq!((received.reports, received.answer), (Vec::new(), empty()));
    }
}

#[test]
fn the_end_of_a_call_has_the_vendors_time() {
    let calls = provider("twilio-voice", Channel::Voice);
    let id = fixture::message().id;
    let time = "Timestamp=Tue%2C+14+Nov+2023+22%3A13%3A50+%2B0000";
    let at = DateTime::from_timestamp(1_700_000_030, 0).unwrap();
    for (body, event) in [
        (format!("CallSid=CA1&CallStatus=completed&{time}"), DeliveryEvent::Confirmed { at }),
        (
            format!("CallSid=CA1&CallStatus=no-answer&{time}"),
            DeliveryEvent::Rejected {
                at,
                failure: Failure::new(FailureCode::Undelivered, "the recipient did not answer")
                    .with_vendor_code("no-answer"),
            },
        ),
        ("CallSid=CA1&CallStatus=ringing".to_owned(), DeliveryEvent::Accepted { at: now() }),
    ] {
        let received = calls.receive(&signed(&format!("message={id}"), &body)).unwrap();

        assert_eq!(received.reports, [VendorReport { about: MessageRef::Ours(id), event }]);
        assert_eq!(received.answer, empty());
    }
}

#[test]
fn callbacks_that_are_not_the_vendors_are_refused() {
    let right = signed("", "MessageSid=SM1&MessageStatus=sent");
    for (callback, refusal) in [
        (Callback { headers: Vec::new(), ..right.clone() }, CallbackRefused::Unauthorized),
        (
            Callback { body: b"MessageSid=SM1&MessageStatus=failed".to_vec(), ..right.clone() },
            CallbackRefused::Unauthorized,
        ),
        (
            Callback { url: format!("{URL}?message=1"), ..right.clone() },
            CallbackRefused::Unauthorized,
        ),
        (Callback { method: CallbackMethod::Get, ..right }, CallbackRefused::Unsupported),
        (signed("", "MessageStatus=sent"), CallbackRefused::Malformed),
        (signed("", "MessageSid=SM1"), CallbackRefused::Malformed),
        (signed("", "{}"), CallbackRefused::Malformed),
    ] {
        assert_eq!(sms().receive(&callback), Err(refusal), "{callback:?}");
    }
    let calls = provider("twilio-voice", Channel::Voice);
    assert_eq!(calls.receive(&signed("", "CallSid=CA1")), Err(CallbackRefused::Malformed));
}

#[test]
fn an_account_that_is_no_identifier_is_refused() {
    let declaration = Declaration {
        credentials: [("account_sid", "AC1/../x"), ("auth_token", TOKEN)]
            .map(|(key, text)| (key.into(), Secret::new(text)))
            .into(),
        ..declaration("twilio", Channel::Sms)
    };

    let error = crate::build(&declaration, &fixture::deps()).err().unwrap().to_string();

    assert!(error.contains("credentials.account_sid must have"), "{error}");
    assert!(!error.contains("AC1"), "{error}");
}

#[test]
fn only_whatsapp_has_a_messaging_window() {
    let whatsapp = provider("twilio-whatsapp", Channel::WhatsApp);
    assert_eq!(whatsapp.session_window(), Some(chrono::TimeDelta::days(1)));
    assert_eq!(sms().session_window(), None);
    assert!(whatsapp.can_be_answered() && sms().can_be_answered());
}
