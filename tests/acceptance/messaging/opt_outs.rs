//! Recipients of mail who complain or unsubscribe.

use acceptance::{Receiver, Reply, Tenant};
use serde_json::{Value, json};

use crate::providers::vendor::{Installation, SECRET, token};

/// Starts a service that sends mail through `SendGrid`.
pub(crate) async fn mailing() -> (Receiver, Installation) {
    let server = Receiver::start(|_, _| Reply::status(202).with("X-Message-Id", "sg-1")).await;
    let declared = format!(
        "[[provider]]\n\
         name = \"mail\"\n\
         kind = \"sendgrid\"\n\
         channel = \"EMAIL\"\n\
         sender = \"Shop <no-reply@shop.example>\"\n\
         base_url = \"{}\"\n\
         credentials = {{ api_key = \"{SECRET}\" }}\n\
         [[provider.route]]\n\
         country = \"*\"\n",
        server.url
    );
    (server, Installation::declaring(&declared, &[]).await)
}

pub(crate) async fn send(tenant: &Tenant<'_>, to: &str, category: &str) -> Value {
    let message = json!({"channel": "EMAIL", "to": to, "body": "Akwaaba", "category": category});
    tenant.owner().post("/messages/send", message).await.data(201).clone()
}

/// Reports an event of a message as `SendGrid` does.
async fn report_event(service: &Installation, event: &str, message: &Value) {
    let (token, url) = (token("mail"), &service.world.url);
    let url = format!("{url}/callbacks/providers/mail?token={token}");
    let event = json!([{
        "event": event, "email": message["recipient"], "timestamp": 1_700_000_000,
        "message": message["internalMessageId"],
    }]);
    service.world.send(service.world.http.post(url).json(&event)).await.data(200);
}

pub(crate) async fn status(tenant: &Tenant<'_>, to: &str, category: &str) -> (String, String) {
    let message = send(tenant, to, category).await;
    let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
    (text("status"), text("errorCode"))
}

pub(crate) fn sent() -> (String, String) {
    ("SENT".into(), String::new())
}

pub(crate) fn suppressed() -> (String, String) {
    ("FAILED".into(), "RECIPIENT_SUPPRESSED".into())
}

#[tokio::test]
async fn a_complaint_ends_all_mail_from_that_organization() {
    let (_vendor, service) = mailing().await;
    let (own, other) = (service.world.tenant().await, service.world.tenant().await);
    service.world.sql(&acceptance::silent_endpoint(&own.id)).await;
    let message = send(&own, "ama@example.com", "TRANSACTIONAL").await;
    assert_eq!(message["status"], "SENT", "{message}");
    send(&other, "ama@example.com", "TRANSACTIONAL").await;
    report_event(&service, "delivered", &message).await;

    for _ in 0..2 {
        report_event(&service, "spamreport", &message).await;
    }

    for category in ["TRANSACTIONAL", "MARKETING", "OTP"] {
        let balance = own.balance().await;
        assert_eq!(status(&own, "Ama@EXAMPLE.com", category).await, suppressed(), "{category}");
        assert!((own.balance().await - balance).abs() < 1e-9, "it costs nothing");
    }
    assert_eq!(status(&own, "esi@example.com", "TRANSACTIONAL").await, sent());
    assert_eq!(status(&other, "ama@example.com", "TRANSACTIONAL").await, sent());
    let entries = "SELECT count(*) FROM suppressions WHERE source = 'COMPLAINT'";
    assert_eq!(service.world.value(entries).await, 1);
    let opt_outs = "SELECT count(*) FROM outbound_events WHERE event = 'contact.opted_out' \
                AND data::jsonb = '{\"contactId\": null, \"channel\": \"EMAIL\", \"source\": \"COMPLAINT\", \
                \"email\": \"ama@example.com\"}'";
    assert_eq!(service.world.value(opt_outs).await, 1);
}

#[tokio::test]
async fn unsubscribing_ends_advertising_but_not_codes_and_receipts() {
    let (_vendor, service) = mailing().await;
    let tenant = service.world.tenant().await;
    for (number, event) in ["unsubscribe", "group_unsubscribe"].into_iter().enumerate() {
        let to = format!("ama{number}@example.com");
        let message = send(&tenant, &to, "MARKETING").await;
        assert_eq!(message["status"], "SENT", "{message}");

        report_event(&service, event, &message).await;

        assert_eq!(status(&tenant, &to, "MARKETING").await, suppressed(), "{event}");
        assert_eq!(status(&tenant, &to, "TRANSACTIONAL").await, sent(), "{event}");
        assert_eq!(status(&tenant, &to, "OTP").await, sent(), "{event}");
        let each = ["MARKETING", "OTP"].map(|category| {
            json!({"channel": "EMAIL", "to": to, "body": "Akwaaba", "category": category})
        });
        let both = json!({"messages": each});
        let answer = tenant.owner().post("/messages/bulk", both).await;
        let states = answer.data(201).as_array().unwrap().iter().map(|it| it["status"].clone());
        assert_eq!(states.collect::<Vec<_>>(), ["FAILED", "SENT"], "{event}");
    }
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_complaint_about_another_providers_message_is_ignored() {
    let (_vendor, service) = mailing().await;
    let tenant = service.world.tenant().await;
    let sms = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let answer = tenant.owner().post("/messages/send", sms).await;
    let mut message = answer.data(201).clone();
    message["recipient"] = json!("ama@example.com");

    report_event(&service, "spamreport", &message).await;

    assert_eq!(service.world.value("SELECT count(*) FROM suppressions").await, 0);
    assert_eq!(status(&tenant, "ama@example.com", "TRANSACTIONAL").await, sent());
}
