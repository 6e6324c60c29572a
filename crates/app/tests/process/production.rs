//! Rules of production, and the messages to the operator.

use std::{
    net::TcpListener,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::program::{command, empty_folder, folder, json_lines, run, serve_json};

fn production(folder: &std::path::Path) -> Command {
    let mut command = command(folder);
    command
        .env("ATUMPAN_ENV", "production")
        .env("ATUMPAN_PUBLIC_URL", "https://notify.example.com")
        .env("ATUMPAN_JWT_SECRET", "a s3cret that signs all sessions");
    command
}

#[test]
fn production_starts_no_embedded_database_by_default() {
    let folder = empty_folder();
    let output = run(&mut production(folder.path()));
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("atumpan: DATABASE_URL must be set in production"), "{error}");
    assert!(!folder.path().join(".atumpan").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn production_names_missing_settings_and_separates_metrics() {
    let folder = folder();
    let log = folder.path().join("log");
    // A free address: if another process takes it meanwhile, the test fails with a clear message.
    let metrics = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut start = production(folder.path());
    start.env("ATUMPAN_EMBEDDED_DATABASE", "on").env("ATUMPAN_METRICS_LISTEN", &metrics);
    start.env("ATUMPAN_LISTN", "127.0.0.1:1").env("RUST_LOG", "info,foo=blah");
    let program = serve_json(&mut start, &log);
    let http = program.tenant().await.http;
    let get = async |url: String| {
        let answer = http.get(url).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };

    assert_eq!(get(format!("{}/metrics", program.url)).await.0, 404);
    let (status, text) = get(format!("http://{metrics}/metrics")).await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("atumpan_http_requests_total{"), "{text}");
    assert_eq!(get(format!("http://{metrics}/wallet")).await.0, 404);

    let lines = json_lines(&log);
    let warnings: Vec<&Value> = lines.iter().filter(|line| line["level"] == "WARN").collect();
    let unknown = warnings.iter().find(|line| line["variables"].is_string()).unwrap();
    assert_eq!(unknown["variables"], "ATUMPAN_LISTN (did you mean ATUMPAN_LISTEN?)");
    assert!(warnings.iter().any(|line| line["wanted"] == "info,foo=blah"), "{warnings:#?}");
    for channel in ["SMS", "WHATSAPP", "EMAIL", "PUSH", "VOICE"] {
        assert!(warnings.iter().any(|line| line["channel"] == channel), "{channel}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_without_metrics_if_their_address_is_in_use() {
    let folder = folder();
    let log = folder.path().join("log");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    let mut start = command(folder.path());
    let program = serve_json(start.env("ATUMPAN_METRICS_LISTEN", &address), &log);

    let http = program.tenant().await.http;
    let beside = http.get(format!("{}/metrics", program.url)).send().await.unwrap();
    assert_eq!(beside.status().as_u16(), 200, "in development they are beside the API");
    let lines = json_lines(&log);
    let warned = lines.iter().find(|line| line["message"] == "cannot serve the metrics").unwrap();
    assert_eq!((&warned["level"], &warned["address"]), (&"WARN".into(), &address.into()));
}

/// Returns the log of a forgotten password whose mail a simulated provider took.
async fn log_of_a_forgotten_password(folder: &std::path::Path, start: &mut Command) -> Vec<Value> {
    let log = folder.join("log");
    let providers = folder.join("providers.toml");
    let declared = "[[provider]]\nname = \"mails\"\nkind = \"simulated\"\nchannel = \"EMAIL\"\n\
                    options.production = true\n[[provider.route]]\ncountry = \"*\"\n";
    std::fs::write(&providers, declared).unwrap();
    let metrics = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    start.env("ATUMPAN_METRICS_LISTEN", &metrics).env("ATUMPAN_EMBEDDED_DATABASE", "on");
    start.env("ATUMPAN_EMAIL_VERIFICATION", "off");
    let program = serve_json(start, &log);
    let http = program.tenant().await.http;
    let asked = serde_json::json!({"email": "ama@example.com"});
    let url = format!("{}/auth/forgot-password", program.url);
    assert_eq!(http.post(url).json(&asked).send().await.unwrap().status().as_u16(), 200);
    let began = Instant::now();
    loop {
        let answer = http.get(format!("http://{metrics}/metrics")).send().await.unwrap();
        let text = answer.text().await.unwrap();
        let is_sent = text.lines().any(|line| {
            line.starts_with("atumpan_messages_total{channel=\"EMAIL\",mode=\"LIVE\"")
                && line.ends_with("status=\"DELIVERED\"} 1")
        });
        if is_sent {
            return json_lines(&log);
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_mail_can_be_read_in_the_log_in_development_and_never_in_production() {
    let shows_token = |line: &Value| line.to_string().contains("/app/reset?token=");
    let folders = [folder(), folder()];

    let mut start = command(folders[0].path());
    let lines = log_of_a_forgotten_password(folders[0].path(), &mut start).await;
    assert_eq!(lines.iter().filter(|line| shows_token(line)).count(), 1);

    let mut start = production(folders[1].path());
    start.env("ATUMPAN_PROVIDERS", "providers.toml");
    let lines = log_of_a_forgotten_password(folders[1].path(), &mut start).await;
    assert!(!lines.iter().any(shows_token));
    let rehearses = |line: &Value| line["level"] == "WARN" && line["provider"] == "mails";
    assert!(lines.iter().any(rehearses), "a simulated provider is told of");
}

#[test]
fn production_refuses_a_simulated_provider_that_does_not_say_so() {
    let folder = empty_folder();
    let declared = "[[provider]]\nname = \"mails\"\nkind = \"simulated\"\nchannel = \"EMAIL\"\n\
                    [[provider.route]]\ncountry = \"*\"\n";
    std::fs::write(folder.path().join("providers.toml"), declared).unwrap();
    let mut start = production(folder.path());
    start.env("ATUMPAN_EMBEDDED_DATABASE", "on").env("ATUMPAN_PROVIDERS", "providers.toml");

    let output = run(&mut start);

    assert_eq!(output.status.code(), Some(1));
    let log = String::from_utf8(output.stderr).unwrap();
    let error = log.lines().last().unwrap();
    assert!(error.starts_with("atumpan: providers.toml: provider \"mails\": kind "), "{error}");
    assert!(error.ends_with("options.production = true"), "{error}");
}
