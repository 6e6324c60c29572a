//! Tests of requests to the vendor and of its responses.

use std::sync::Arc;

use domain::{
    messaging::message::Message,
    providers::provider::CheckStatus,
    shared::{address::Address, category::Category},
};

use super::*;
use crate::fixture::{Links, batch, callback, declared, message, provider, token};

fn shop() -> Mailbox {
    "Shop <no-reply@shop.example>".parse().unwrap()
}

#[test]
fn many_recipients_share_one_text() {
    let mut messages = [message(), message()];
    Arc::make_mut(&mut messages[1].draft).recipient = Address::stored("kofi@example.com".into());
    for message in &mut messages {
        crate::fixture::write(message, "<p>Hello</p>");
        Arc::make_mut(&mut message.draft).sender = Some("Ama <ama@shop.example>".into());
    }

    let letter = letter(batch(&messages.each_ref()), &shop(), &Links).unwrap();

    let personalization = |email: &str, message: &Message| {
        let id = message.id.internal();
        json!({
            "to": [{"email": email}],
            "subject": "Your code",
            "headers": {"Message-ID": format!("<{id}@shop.example>")},
            "custom_args": {"message": id},
        })
    };
    let expected = json!({
        "personalizations": [
            personalization("ama@example.com", &messages[0]),
            personalization("kofi@example.com", &messages[1]),
        ],
        "from": {"email": "no-reply@shop.example", "name": "Ama"},
        "reply_to": {"email": "ama@shop.example"},
        "content": [
            {"type": "text/plain", "value": "Hello\n"},
            {"type": "text/html", "value": "<p>Hello</p>"},
        ],
    });
    assert_eq!(letter, expected);
}

#[test]
fn advertising_offers_each_recipient_to_unsubscribe_with_one_click() {
    let mut messages = [message(), message()];
    for (message, address) in messages.iter_mut().zip(["ama@example.com", "kofi@example.com"]) {
        Arc::make_mut(&mut message.draft).recipient = Address::stored(address.into());
        Arc::make_mut(&mut message.draft).category = Category::Marketing;
    }

    let letter = letter(batch(&messages.each_ref()), &shop(), &Links).unwrap();

    for (place, address) in ["ama@example.com", "kofi@example.com"].into_iter().enumerate() {
        let headers = &letter["personalizations"][place]["headers"];
        let link = format!("<https://notify.example.com/unsubscribe/{address}>");
        assert_eq!(headers["List-Unsubscribe"], link);
        assert_eq!(headers["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
    }
}

#[test]
fn the_scopes_of_a_key_show_if_it_can_be_used() {
    let status = |scopes: &[&str]| {
        let scopes = scopes.iter().map(|&scope| scope.to_owned()).collect();
        check_scopes(Some(&Scopes { scopes })).status
    };
    assert_eq!(status(&["alerts.read", "mail.send"]), CheckStatus::Up);
    assert_eq!(status(&["mail.batch.read"]), CheckStatus::Down);
    assert_eq!(check_scopes(None).status, CheckStatus::Degraded);
}

#[test]
fn a_public_key_makes_its_signature_the_only_proof() {
    let key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1f\
               lpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
    let with = |key| Declaration {
        sender: Some("Shop <no-reply@shop.example>".into()),
        ..declared(
            "sendgrid",
            Channel::Email,
            &[("api_key", "SG.k3y"), ("webhook_public_key", key)],
        )
    };
    let token = token("one");

    let provider = provider(&with(key));
    let unsigned = provider.receive(&callback(&[("token", &token)], "[]"));

    assert_eq!(unsigned, Err(CallbackRefused::Unauthorized));
    assert!(with("MFkw").check().is_err());
}

#[test]
fn a_callback_is_accepted_by_its_token() {
    let credentials = [("api_key", "SG.k3y")];
    let declaration = Declaration {
        sender: Some("Shop <no-reply@shop.example>".into()),
        ..declared("sendgrid", Channel::Email, &credentials)
    };
    let provider = provider(&declaration);
    let received = |token: &str, body: &str| provider.receive(&callback(&[("token", token)], body));
    let token = token("one");
    let event = r#"[{"event":"delivered","sg_message_id":"x","timestamp":1}]"#;

    assert_eq!(received(&token, event).unwrap().reports.len(), 1);
    assert_eq!(received("other", event), Err(CallbackRefused::Unauthorized));
    assert_eq!(received(&token, "event=delivered"), Err(CallbackRefused::Malformed));
}
