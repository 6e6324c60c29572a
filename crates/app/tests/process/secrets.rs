//! Secrets are neither returned nor logged, at any log level; reports on unknown messages are
//! counted.

use std::{fs::File, path::Path, process::Command};

use serde_json::json;
use testkit::{HttpServer, Reply, Service};

use crate::program::{command, folder, run};

/// Parts of each credential, as written and as sent in `Authorization: Basic`.
const CREDENTIALS: [&str; 9] = [
    "k3y-of-sms",
    "t0ken-of-spare",
    "dDBrZW4tb2Ytc3Bhcm",
    "acc3ss-of-chat",
    "s3cret-of-chat",
    "v3rify-of-chat",
    "k3y-of-mail",
    "correct horse",
    "a s3cret that signs all sessions",
];

/// Starts a vendor that takes every message, and shows its account.
async fn vendor() -> HttpServer {
    let recipient = json!({
        "statusCode": 101, "number": "+233241234567", "status": "Success", "messageId": "ATXid_1",
    });
    let taken = json!({
        "SMSMessageData": {"Message": "Sent", "Recipients": [recipient]},
        "sid": "SM1", "messages": [{"id": "wamid.1"}], "id": "mail-1",
    });
    let account = json!({"UserData": {"balance": "GHS 12.50"}, "status": "active", "data": []});
    HttpServer::start(move |call| match call.method.as_str() {
        "POST" => Reply::json(201, &taken),
        _ => Reply::json(200, &account),
    })
    .await
}

/// Returns a provider of each kind of authentication, all at one address.
fn providers(url: &str) -> String {
    let declare = |name: &str, kind: &str, channel: &str, credentials: &str| {
        format!(
            "[[provider]]\nname = \"{name}\"\nkind = \"{kind}\"\nchannel = \"{channel}\"\n\
             sender = \"no-reply@example.com\"\nbase_url = \"{url}\"\ntimeout_ms = 500\n\
             credentials = {{ {credentials} }}\n[[provider.route]]\ncountry = \"GH\"\n"
        )
    };
    [
        declare(
            "sms",
            "africas-talking",
            "SMS",
            "username = \"u\", api_key = { env = \"SMS_KEY\" }",
        ),
        declare("spare", "twilio", "SMS", "account_sid = \"A\", auth_token = \"t0ken-of-spare\""),
        declare(
            "chat",
            "whatsapp-cloud",
            "WHATSAPP",
            "phone_number_id = \"1\", access_token = \"acc3ss-of-chat\", \
             app_secret = \"s3cret-of-chat\", verify_token = \"v3rify-of-chat\"",
        ),
        declare("mail", "resend", "EMAIL", "api_key = \"k3y-of-mail\""),
    ]
    .join("\n")
}

fn with_providers(folder: &Path) -> Command {
    let mut command = command(folder);
    command
        .env("ATUMPAN_PROVIDERS", "providers.toml")
        .env("ATUMPAN_JWT_SECRET", "a s3cret that signs all sessions")
        .env("SMS_KEY", "k3y-of-sms");
    command
}

/// Returns the token in the address of a provider that does not sign.
fn token(folder: &Path, provider: &str) -> String {
    let printed = run(with_providers(folder).arg("callbacks"));
    let printed = String::from_utf8(printed.stdout).unwrap();
    let line = printed.lines().find(|line| line.starts_with(&format!("{provider}: "))).unwrap();
    line.split_once("?token=").unwrap().1.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_answered_or_logged_and_reports_of_unknown_messages_are_counted() {
    let (folder, vendor) = (folder(), vendor().await);
    std::fs::write(folder.path().join("providers.toml"), providers(&vendor.url())).unwrap();
    let token = token(folder.path(), "sms");
    let log = folder.path().join("log");
    let mut command = with_providers(folder.path());
    command.env("RUST_LOG", "trace");
    let program = Service::start(command.stderr(File::create(&log).unwrap())).unwrap();
    let tenant = program.tenant().await;
    let mut answers = Vec::new();

    for (channel, to) in
        [("SMS", "0241234567"), ("WHATSAPP", "0241234567"), ("EMAIL", "a@b.example")]
    {
        let message = json!({"channel": channel, "to": to, "body": "Akwaaba"});
        let (status, answer) = tenant.post(&program, "/messages/send", message).await;
        assert_eq!(status, 201, "{answer}");
        answers.push(answer);
    }
    let listed = tenant.get(&program, "/providers").await;
    for provider in listed["data"].as_array().unwrap() {
        let path = format!("/providers/{}", provider["id"].as_str().unwrap());
        let (status, checked) =
            tenant.post(&program, &format!("{path}/health-check"), json!({})).await;
        assert_eq!(status, 200, "{checked}");
        answers.extend([checked, tenant.get(&program, &path).await.to_string()]);
    }
    answers.push(listed.to_string());

    let call_back = async |token: &str, form: &[(&str, &str)]| {
        let url = format!("{}/callbacks/providers/sms?token={token}", program.url);
        let answer = tenant.http.post(url).form(form).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let of_nobody = [("id", "of-nobody"), ("status", "Success")];
    assert_eq!(call_back("0123456789abcdef0123456789abcdef", &of_nobody).await.0, 401);
    for _ in 0..2 {
        let (status, answer) = call_back(&token, &of_nobody).await;
        assert_eq!(status, 200, "{answer}");
        answers.push(answer);
    }
    let metrics = tenant.http.get(format!("{}/metrics", program.url)).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let counted = "atumpan_unmatched_reports_total{provider=\"sms\"} 2";
    assert!(metrics.lines().any(|line| line == counted), "{metrics}");
    answers.push(metrics);

    let session = tenant.token.clone();
    program.crash();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("/callbacks/providers/"), "the log is not complete");
    assert!(log.contains("TRACE"), "the log is not complete");
    for secret in CREDENTIALS.into_iter().chain([token.as_str(), session.as_str()]) {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is logged");
        let answer = answers.iter().find(|answer| answer.contains(secret));
        assert_eq!(answer, None, "{secret} is answered");
    }
}
