//! Unexpected texts and times of vendors: none causes a server error or a second delivery.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use acceptance::{Answer, Receiver, Reply, Tenant};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::providers::vendor::{Installation, SECRET, hex, token};

const KEY: &[u8] = b"0123456789abcdef01234567";

/// Starts a vendor that replies the same to each call.
async fn replying(status: u16, body: Value) -> Receiver {
    Receiver::start(move |_, _| Reply::json(status, &body)).await
}

/// Starts a vendor of kind `http` that accepts messages as `reference`, and its installation.
async fn own_service(reference: &str) -> (Receiver, Installation) {
    let server = replying(200, json!({"id": reference})).await;
    let key = BASE64_STANDARD.encode(KEY);
    let own = declaration("own", "http", "SMS", &server.url, &format!("secret = \"whsec_{key}\""));
    (server, Installation::declaring(&own, &[]).await)
}

fn declaration(name: &str, kind: &str, channel: &str, url: &str, credentials: &str) -> String {
    format!(
        "[[provider]]\n\
         name = \"{name}\"\n\
         kind = \"{kind}\"\n\
         channel = \"{channel}\"\n\
         sender = \"no-reply@shop.example\"\n\
         base_url = \"{url}\"\n\
         credentials = {{ {credentials} }}\n\
         [[provider.route]]\n\
         country = \"*\"\n"
    )
}

fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).unwrap().as_secs()
}

async fn report(service: &Installation, body: &Value) -> Answer {
    let (body, at) = (body.to_string(), seconds(SystemTime::now()));
    let signed = format!("report.{at}.{body}");
    let mac = Hmac::<Sha256>::new_from_slice(KEY).unwrap();
    let signature = BASE64_STANDARD.encode(mac.chain_update(signed).finalize().into_bytes());
    let url = format!("{}/callbacks/providers/own", service.world.url);
    let request = service.world.http.post(url).body(body);
    let request = request.header("webhook-id", "report").header("webhook-timestamp", at);
    service.world.send(request.header("webhook-signature", format!("v1,{signature}"))).await
}

async fn sent(tenant: &Tenant<'_>) -> Value {
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let answer = tenant.owner().post("/messages/send", message).await;
    assert_eq!(answer.data(201)["status"], "SENT", "{}", answer.text);
    answer.data(201).clone()
}

#[tokio::test]
async fn a_sanitized_identifier_still_finds_its_message() {
    let long = "ɔ".repeat(5_000);
    let hash = hex(&Sha256::digest(&long));
    for (given, kept) in [("a\0b", "ab"), ("line\r\nbreak", "linebreak"), (&long, &hash)] {
        let (vendor, service) = own_service(given).await;
        let tenant = service.world.tenant().await;

        let message = sent(&tenant).await;
        assert_eq!(message["attempts"][0]["providerMessageId"], kept);
        report(&service, &json!({"id": given, "status": "DELIVERED"})).await.data(200);

        tenant.owner().message_that_is("DELIVERED", &message["id"]).await;
        assert_eq!(vendor.received().len(), 1, "it is sent once");
    }
}

#[tokio::test]
async fn the_text_of_a_refusal_is_sanitized() {
    let error = json!({"code": "INVALID_RECIPIENT", "message": "no\0 such\u{1b}[31m number"});
    let server = replying(400, json!({"error": error})).await;
    let key = format!("secret = \"whsec_{}\"", BASE64_STANDARD.encode(KEY));
    let own = declaration("own", "http", "SMS", &server.url, &key);
    let service = Installation::declaring(&own, &[]).await;
    let tenant = service.world.tenant().await;

    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let answer = tenant.owner().post("/messages/send", message).await;

    let failed = answer.data(201);
    assert_eq!(
        (&failed["status"], &failed["errorCode"]),
        (&json!("FAILED"), &json!("INVALID_RECIPIENT"))
    );
    assert_eq!(failed["errorMessage"], "no such[31m number");
}

#[tokio::test]
async fn report_times_are_clamped_between_acceptance_and_now() {
    let (_vendor, service) = own_service("ref-1").await;
    let tenant = service.world.tenant().await;
    for at in [
        "0001-01-01T00:00:00Z",
        "-9999-01-01T00:00:00.000+0000",
        "1970-01-01T00:00:01Z",
        "9999-12-31T23:59:59Z",
        "+262142-12-31T00:00:00Z",
    ] {
        let message = sent(&tenant).await;
        let given = |status: &str| json!({"message": message["id"], "status": status, "at": at});
        report(&service, &given("SENT")).await.data(200);
        report(&service, &given("DELIVERED")).await.data(200);

        let delivered = tenant.owner().message_that_is("DELIVERED", &message["id"]).await;
        let time = |key: &str| delivered[key].as_str().unwrap().to_owned();
        assert!(time("createdAt") <= time("sentAt"), "{at}: {delivered}");
        assert!(time("createdAt") <= time("deliveredAt"), "{at}: {delivered}");
        assert!(time("deliveredAt").starts_with("20"), "{at}: {delivered}");
    }
    let odd = "SELECT count(*) FROM provider_minutes WHERE minute > now() OR minute < now() - interval '1 hour'";
    assert_eq!(service.world.value(odd).await, 0);
}

/// Starts a service with providers of several vendors, which are never called.
async fn several_vendors() -> Installation {
    let url = "http://127.0.0.1:9";
    let key = format!("api_key = \"{SECRET}\"");
    let named = format!("username = \"u\", {key}");
    let declared = [
        declaration("at", "africas-talking", "SMS", url, &named),
        declaration("termii", "termii", "SMS", url, &key),
        declaration("infobip", "infobip", "SMS", url, &key),
        declaration("meta", "whatsapp-cloud", "WHATSAPP", url, &meta()),
        declaration("mail", "sendgrid", "EMAIL", url, &key),
        declaration("resend", "resend", "EMAIL", url, &key),
    ];
    Installation::declaring(&declared.join("\n"), &[]).await
}

fn meta() -> String {
    format!(
        "phone_number_id = \"1\", access_token = \"{SECRET}\", app_secret = \"{SECRET}\", \
         verify_token = \"{SECRET}\""
    )
}

/// Makes a callback with the right proof, which must be accepted or rejected as invalid.
async fn post(service: &Installation, provider: &str, body: Value) {
    let base = format!("{}/callbacks/providers/{provider}", service.world.url);
    let url = format!("{base}?token={}", token(provider));
    let answer = match provider {
        "meta" => service.call_back_as_meta(provider, SECRET, &body).await,
        _ => service.world.send(service.world.http.post(url).json(&body)).await,
    };
    assert!(matches!(answer.status, 200 | 400), "{provider} {body}: {}", answer.text);
}

#[tokio::test]
async fn no_text_in_a_callback_causes_a_server_error() {
    let service = several_vendors().await;
    let post = async |provider, body| post(&service, provider, body).await;
    for text in ["a\0b", "\0", "\u{1b}]0;x\u{7}", &"ɔ".repeat(9_000)] {
        let from = "+233241234567";
        post("at", json!({"id": text, "status": "Success"})).await;
        post("at", json!({"id": "x", "status": "Failed", "failureReason": text})).await;
        post("at", json!({"from": from, "to": text, "text": text, "id": text})).await;
        post("termii", json!({"message_id": text, "status": "Delivered"})).await;
        let failed = json!({"groupId": 5, "groupName": "REJECTED", "id": 7, "name": text});
        post("infobip", json!({"results": [{"messageId": text, "status": failed}]})).await;
        let data = json!({"email_id": text, "to": ["ama@example.com"], "subject": text});
        post("resend", json!({"type": "email.delivered", "data": data})).await;
        let event =
            json!({"event": "dropped", "sg_message_id": text, "reason": text, "email": text});
        post("mail", json!([event])).await;
    }
    let kept = "SELECT count(*) FROM unmatched_reports WHERE reference = 'ab'";
    assert!(service.world.value(kept).await > 0);
}

#[tokio::test]
async fn no_time_in_a_callback_causes_a_server_error() {
    let service = several_vendors().await;
    let post = async |provider, body| post(&service, provider, body).await;
    let webhook = |value: Value| json!({"entry": [{"changes": [{"value": value}]}]});
    let seconds = [i64::MIN, -210_866_803_201, -1, 253_402_300_800, 8_210_266_876_799, i64::MAX];
    for at in seconds {
        let hello = json!({"from": "233241234567", "type": "text", "text": {"body": "Hi"},
            "timestamp": at.to_string()});
        post("meta", webhook(json!({"messages": [hello]}))).await;
        let read = json!({"id": "wamid.1", "status": "read", "timestamp": at.to_string()});
        post("meta", webhook(json!({"statuses": [read]}))).await;
        let event = json!({"event": "delivered", "sg_message_id": "x", "timestamp": at});
        post("mail", json!([event])).await;
    }
    for at in ["-9999-01-01T00:00:00.000+0000", "+262142-12-31T00:00:00Z", "0000-00-00", "\0"] {
        let wrote = json!({"from": "233241234567", "text": "Hi", "receivedAt": at});
        post("infobip", json!({"results": [wrote]})).await;
        post("at", json!({"from": "+233241234567", "to": "1", "text": "Hi", "date": at})).await;
        let inbound = json!({"type": "inbound", "sender": "233241234567", "message": "Hi",
            "received_at": at});
        post("termii", inbound).await;
    }
    let ahead = "SELECT count(*) FROM messaging_windows WHERE heard_at > now()";
    assert_eq!(service.world.value(ahead).await, 0);
    assert!(service.world.value("SELECT count(*) FROM messaging_windows").await > 0);
}

#[tokio::test]
async fn a_text_dated_ahead_does_not_extend_the_messaging_window() {
    let server = replying(200, json!({"messages": [{"id": "wamid.1"}]})).await;
    let declared = declaration("meta", "whatsapp-cloud", "WHATSAPP", &server.url, &meta());
    let service = Installation::declaring(&declared, &[]).await;
    let tenant = service.world.tenant().await;
    let ahead = seconds(SystemTime::now() + Duration::from_secs(30 * 86_400)).to_string();
    let hello = json!({"from": "233241234567", "type": "text", "text": {"body": "Hello"},
        "timestamp": ahead});
    let written = json!({"entry": [{"changes": [{"value": {"messages": [hello]}}]}]});
    service.call_back_as_meta("meta", SECRET, &written).await.data(200);
    let text = json!({"channel": "WHATSAPP", "to": "0241234567", "body": "Akwaaba"});
    let answer = tenant.owner().post("/messages/send", text.clone()).await;
    assert_eq!(answer.data(201)["status"], "SENT");

    service
        .world
        .sql("UPDATE messaging_windows SET heard_at = heard_at - interval '25 hours'")
        .await;

    let answer = tenant.owner().post("/messages/send", text).await;
    assert_eq!(answer.data(201)["errorCode"], "SESSION_WINDOW_CLOSED");
}
