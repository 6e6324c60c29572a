//! Mail that leaves through a mail server.

use acceptance::unique_email;
use serde_json::json;

use crate::providers::mail_server::MailServer;

#[tokio::test]
async fn an_email_reaches_the_mail_server_and_is_paid_for() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let to = unique_email("ama");

    let answer = tenant
        .owner()
        .post(
            "/messages/send",
            json!({
                "channel": "EMAIL", "to": to, "subject": "Your parcel",
                "body": "Hello {{name}},\nyour parcel has arrived.", "variables": {"name": "Ama"},
            }),
        )
        .await;

    let sent = answer.data(201);
    assert_eq!(sent["status"], "SENT");
    assert_eq!(sent["provider"], "mail");
    assert_eq!(sent["recipient"], to.as_str());
    assert_eq!(sent["subject"], "Your parcel");
    assert_eq!(sent["cost"], 0.005);
    assert_eq!(sent["attempts"][0]["outcome"], "ACCEPTED");
    assert!((tenant.balance().await - 9.995).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;

    let mail = server.received_by(&to).await;
    assert_eq!(mail["sender"], "no-reply@atumpan.example");
    assert_eq!(mail["recipients"], json!([to]));
    let content = mail["content"].as_str().unwrap();
    let internal = sent["internalMessageId"].as_str().unwrap();
    assert!(
        content.contains(&format!("Message-ID: <{internal}@atumpan.example>\r\n")),
        "{content}"
    );
    assert!(content.contains("Subject: Your parcel\r\n"), "{content}");
    assert!(content.contains(&format!("To: {to}\r\n")), "{content}");
    assert!(content.contains("Hello Ama,\r\nyour parcel has arrived."), "{content}");
}

#[tokio::test]
async fn a_recipient_refused_by_the_mail_server_is_refunded() {
    let (_server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let message = json!({"channel": "EMAIL", "to": "nobody@example.com", "body": "Akwaaba"});

    let answer = tenant.owner().post("/messages/send", message).await;

    let failed = tenant.owner().message_that_is("FAILED", &answer.data(201)["id"]).await;
    assert_eq!(failed["errorCode"], "INVALID_RECIPIENT");
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    tenant.assert_ledger_adds_up().await;
}
