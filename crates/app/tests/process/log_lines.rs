//! Each entry of the log is one line, whatever clients put into their requests.

use std::{fs, path::Path};

use reqwest::header::HeaderValue;
use serde_json::json;
use testkit::Service;

use crate::program::{command, folder, json_lines, serve_json};

/// Text that would begin a line, and colour a terminal.
const EVIL: &str =
    "Ama\r\n2026-11-23T00:00:00.000000Z  INFO forged: by a client\n{\"level\":\"INFO\"}\u{1b}[31m";

/// Sends the text in every place where a client can put one.
async fn attack(program: &Service) {
    let tenant = program.tenant_of("ama@example.com").await;
    let http = &tenant.http;
    let encoded = "a%0d%0aINFO%20forged%0a%1b%5b31m";
    for path in [
        format!("/callbacks/providers/{encoded}"),
        format!("/checkout/{encoded}/pay"),
        format!("/unsubscribe/{encoded}"),
        format!("/u/{encoded}"),
        format!("/{encoded}?{encoded}={encoded}"),
    ] {
        http.post(format!("{}{path}", program.url)).body(EVIL).send().await.unwrap();
    }
    // No client sends line breaks in headers; the escape character is refused, or reaches us.
    let odd = HeaderValue::from_bytes(b"a\tb\xff\x80").unwrap();
    for name in ["X-Request-Id", "User-Agent", "X-Forwarded-For", "Forwarded", "Authorization"] {
        http.get(format!("{}/auth/me", program.url)).header(name, &odd).send().await.unwrap();
    }
    let login = json!({"email": EVIL, "password": EVIL});
    for (path, body) in [
        ("/auth/login", login.clone()),
        ("/auth/forgot-password", login),
        ("/contacts", json!({"firstName": EVIL, "attributes": {EVIL: EVIL}})),
        (
            "/templates",
            json!({"name": EVIL, "channel": "SMS", "body": EVIL, "category": "FINTECH"}),
        ),
        ("/segments", json!({"name": EVIL, "rules": {EVIL: EVIL}})),
        ("/billing/verify-payment", json!({"reference": EVIL})),
        ("/webhook-endpoints", json!({"url": format!("https://hooks.invalid/{EVIL}")})),
        // It fails, and the failure is logged.
        (
            "/messages/send",
            json!({"channel": "SMS", "to": "0240000000", "body": EVIL, "senderId": "=1"}),
        ),
        ("/messages/send", json!({"channel": "PUSH", "to": format!("{EVIL}0000"), "body": EVIL})),
    ] {
        tenant.post(program, path, body).await;
    }
    let rows = format!("phone,town\nx,\"{EVIL}\"\n");
    tenant.upload(program, "/contacts/import", &rows).await;
}

fn assert_lines_are_events(log: &Path) {
    let text = fs::read_to_string(log).unwrap();
    assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text}");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() > 5, "{text}");
    for line in lines {
        let level = line.split_whitespace().nth(1).unwrap_or_default();
        assert!(["INFO", "WARN", "ERROR"].contains(&level), "{line:?}");
        assert!(!line.starts_with("2026-11-23T00:00:00.000000Z  INFO forged"), "{line:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_client_begins_a_line_of_the_log_in_text() {
    let folder = folder();
    let log = folder.path().join("log");
    let file = fs::File::create(&log).unwrap();
    let program = Service::start(command(folder.path()).stderr(file)).unwrap();
    attack(&program).await;
    assert_lines_are_events(&log);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_client_begins_a_line_of_the_log_in_json() {
    let folder = folder();
    let log = folder.path().join("log");
    let program = serve_json(&mut command(folder.path()), &log);
    attack(&program).await;
    let lines = json_lines(&log);
    assert!(lines.len() > 5);
    for line in lines {
        assert!(line["level"].is_string() && line["timestamp"].is_string(), "{line}");
    }
}
