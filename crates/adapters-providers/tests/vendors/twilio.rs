//! Twilio.

use std::sync::Arc;

use adapters_providers::Declaration;
use chrono::DateTime;
use domain::{
    content::template::FilledTemplate,
    messaging::{
        attempt::Attempt,
        delivery::{DeliveryEvent, FailureCode as Code},
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    providers::provider::CheckStatus,
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

use crate::{
    support::{credentials, declaration, kind, made, message},
    vendor_server::{Then, VendorServer, answer},
};

fn declared(kind: &str, channel: Channel, base_url: &str) -> Declaration {
    Declaration {
        credentials: credentials([("account_sid", "AC1"), ("auth_token", "t0k3n")]),
        ..declaration(kind, channel, base_url)
    }
}

fn provider(base_url: &str) -> Arc<dyn MessagingProvider> {
    made(&declared("twilio", Channel::Sms, base_url))
}

fn sms() -> Message {
    message(Channel::Sms, "+233244123456", "Akwaaba, Ɔdɔ! 50% + 1 & more")
}

/// Returns a message that the provider under test accepted as `reference`.
fn taken(channel: Channel, reference: &str) -> Message {
    let mut message = message(channel, "+233244123456", "text");
    let outcomes = [
        ("under-test", Some("SM0")),
        ("under-test", Some(reference)),
        ("under-test", None),
        ("another", Some("SM2")),
    ];
    for (provider, reference) in outcomes {
        let at = message.created_at;
        let accepted = |reference: &str| Outcome::Accepted {
            reference: Some(reference.into()),
            follow_up: FollowUp::Report,
        };
        let refused = || Outcome::NotAccepted {
            failure: domain::messaging::delivery::Failure::new(Code::ProviderThrottled, "later"),
            retry_after: None,
        };
        let outcome = reference.map_or_else(refused, accepted);
        message.attempts.push(Attempt::start(provider, at).end(at, &outcome));
    }
    message
}

async fn looked_up(status: &'static str, body: &str) -> LookUp {
    let server = VendorServer::start(answer(status, "", body)).await;
    provider(&server.url).look_up(&taken(Channel::Sms, "SM1")).await
}

#[tokio::test]
async fn the_sender_may_be_a_number_a_name_or_a_messaging_service() {
    let service = "MG0123456789abcdef0123456789abcdef";
    for (kind, channel, own, asked, expected) in [
        ("twilio", Channel::Sms, Some("SHOP"), None, "&From=SHOP&Body="),
        ("twilio", Channel::Sms, Some(service), Some("MGSHOP"), "&From=MGSHOP&Body="),
        ("twilio", Channel::Sms, Some(service), None, &format!("&MessagingServiceSid={service}&")),
        ("twilio", Channel::Sms, None, None, "To=%2B233244123456&Body="),
        ("twilio-whatsapp", Channel::WhatsApp, Some("+1"), None, "&From=whatsapp%3A%2B1&"),
        (
            "twilio-whatsapp",
            Channel::WhatsApp,
            Some("+1"),
            Some(service),
            &format!("&MessagingServiceSid={service}&"),
        ),
        ("twilio-voice", Channel::Voice, Some("+1"), Some("+2"), "&From=%2B2&Twiml="),
        ("twilio-voice", Channel::Voice, None, None, "To=%2B233244123456&Twiml="),
    ] {
        let server = VendorServer::start(answer("201 Created", "", r#"{"sid":"X1"}"#)).await;
        let declaration =
            Declaration { sender: own.map(Into::into), ..declared(kind, channel, &server.url) };
        let mut message = message(channel, "+233244123456", "text");
        Arc::make_mut(&mut message.draft).sender = asked.map(Into::into);

        made(&declaration).send(&message).await;

        let request = server.request.await.unwrap();
        assert!(request.contains(expected), "{expected}: {request}");
    }
}

#[tokio::test]
async fn whatsapp_gets_the_template_name_and_sms_our_text() {
    let named = "To=whatsapp%3A%2B233244123456&ContentSid=HX77&ContentVariables=\
                 %7B%221%22%3A%22Ama%22%2C%222%22%3A%224711%22%7D&ValidityPeriod=36000&StatusCallback=";
    for (kind, channel, expected) in [
        ("twilio-whatsapp", Channel::WhatsApp, named),
        (
            "twilio",
            Channel::Sms,
            "To=%2B233244123456&Body=text&ValidityPeriod=36000&StatusCallback=",
        ),
    ] {
        let server = VendorServer::start(answer("201 Created", "", r#"{"sid":"SM1"}"#)).await;
        let mut message = message(channel, "+233244123456", "text");
        Arc::make_mut(&mut message.draft).vendor_template = Some(FilledTemplate {
            name: "HX77".into(),
            language: "en".into(),
            values: vec!["Ama".into(), "4711".into()],
            button: None,
        });

        made(&declared(kind, channel, &server.url)).send(&message).await;

        let request = server.request.await.unwrap();
        assert!(request.contains(expected), "{expected}: {request}");
    }
}

#[tokio::test]
async fn a_text_is_read_out_as_it_is_unless_it_is_too_long() {
    let server = VendorServer::start(answer("201 Created", "", r#"{"sid":"CA1"}"#)).await;
    let provider = made(&declared("twilio-voice", Channel::Voice, &server.url));

    let long = "&".repeat(800);
    let outcome = provider.send(&message(Channel::Voice, "+233244123456", &long)).await;
    assert_eq!(kind(&outcome), ('N', Some(Code::ProviderRejected)));

    provider.send(&message(Channel::Voice, "+233244123456", "<Hang up> & go")).await;
    let request = server.request.await.unwrap();
    let said = "Twiml=%3CResponse%3E%3CSay%3E%26lt%3BHang+up%26gt%3B+%26amp%3B+go%3C%2FSay%3E\
                %3C%2FResponse%3E&";
    assert!(request.contains(said), "{request}");
}

#[tokio::test]
async fn a_message_is_looked_up_by_its_latest_reference() {
    for (kind, channel, path) in [
        ("twilio", Channel::Sms, "Messages/SM%2F1%3Fx.json"),
        ("twilio-voice", Channel::Voice, "Calls/SM%2F1%3Fx.json"),
    ] {
        let server = VendorServer::start(answer("200 OK", "", "{}")).await;
        let provider = made(&declared(kind, channel, &server.url));

        let found = provider.look_up(&taken(channel, "SM/1?x")).await;

        assert_eq!(found, LookUp::Unavailable);
        let request = server.request.await.unwrap();
        let line = format!("GET /2010-04-01/Accounts/AC1/{path} HTTP/1.1\r\n");
        assert!(request.starts_with(&line), "{request}");
        assert!(request.contains("authorization: Basic QUMxOnQwazNu\r\n"), "{request}");
    }
}

#[tokio::test]
async fn every_answer_about_a_message_is_understood() {
    let at = DateTime::from_timestamp(1_699_999_000, 0).unwrap();
    let date = r#""date_updated":"Tue, 14 Nov 2023 21:56:40 +0000""#;
    for (status, body, expected) in [
        (
            "200 OK",
            format!(r#"{{"status":"delivered","error_code":null,{date}}}"#),
            LookUp::Found(DeliveryEvent::Confirmed { at }),
        ),
        (
            "200 OK",
            format!(r#"{{"status":"queued",{date}}}"#),
            LookUp::Found(DeliveryEvent::Accepted { at }),
        ),
        ("200 OK", r#"{"status":"new one"}"#.to_owned(), LookUp::Waiting),
        ("200 OK", "<html>".to_owned(), LookUp::Unavailable),
        ("404 Not Found", r#"{"code":20404,"status":404}"#.to_owned(), LookUp::NotFound),
        ("404 Not Found", "<html>".to_owned(), LookUp::Unavailable),
        ("401 Unauthorized", r#"{"code":20003,"status":"x"}"#.to_owned(), LookUp::Unavailable),
    ] {
        assert_eq!(looked_up(status, &body).await, expected, "{status} {body}");
    }

    let failed = looked_up("200 OK", r#"{"status":"undelivered","error_code":30006}"#).await;
    let LookUp::Found(DeliveryEvent::Rejected { failure, .. }) = failed else {
        panic!("{failed:?}")
    };
    assert_eq!(failure.code, Code::InvalidRecipient);
    assert_eq!(failure.vendor_code.as_deref(), Some("30006"));
}

#[tokio::test]
async fn a_message_without_a_reference_cannot_be_looked_up() {
    let server = VendorServer::start(Then::HangUp).await;
    let provider = provider(&server.url);

    assert_eq!(provider.look_up(&sms()).await, LookUp::Unavailable);
    assert_eq!(provider.look_up(&taken(Channel::Sms, "SM1")).await, LookUp::Unavailable);
}

#[tokio::test]
async fn only_an_active_account_can_be_used() {
    for (body, status) in [
        (r#"{"status":"active"}"#, CheckStatus::Up),
        (r#"{"status":"suspended"}"#, CheckStatus::Down),
        (r#"{"status":"closed"}"#, CheckStatus::Down),
        ("{}", CheckStatus::Degraded),
    ] {
        let server = VendorServer::start(answer("200 OK", "", body)).await;

        let check = provider(&server.url).check().await;

        assert_eq!(check.status, status, "{body}: {check:?}");
        let request = server.request.await.unwrap();
        assert!(request.starts_with("GET /2010-04-01/Accounts/AC1.json HTTP/1.1\r\n"), "{request}");
    }
}
