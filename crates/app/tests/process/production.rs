//! What is different in production, and what an operator is told then.

use std::{net::TcpListener, process::Command};

use serde_json::Value;

use crate::program::{Program, command, folder, json_lines, run};

fn production(folder: &std::path::Path) -> Command {
    let mut command = command(folder);
    command
        .env("ATUMPAN_ENV", "production")
        .env("ATUMPAN_JWT_SECRET", "a s3cret that signs all sessions");
    command
}

#[test]
fn production_makes_no_database_of_its_own_unasked() {
    let folder = folder();
    let output = run(&mut production(folder.path()));
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("atumpan: DATABASE_URL must be set in production"), "{error}");
    assert!(!folder.path().join(".atumpan").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn production_names_what_it_lacks_and_keeps_its_metrics_to_an_address_of_their_own() {
    let folder = folder();
    let log = folder.path().join("log");
    // An address that is free: whoever takes it meanwhile makes this fail in plain words.
    let metrics = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut start = production(folder.path());
    start.env("ATUMPAN_EMBEDDED_DATABASE", "on").env("ATUMPAN_METRICS_LISTEN", &metrics);
    start.env("ATUMPAN_LISTN", "127.0.0.1:1");
    let program = Program::start_json(&mut start, &log);
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
    for channel in ["SMS", "WHATSAPP", "EMAIL", "PUSH", "VOICE"] {
        assert!(warnings.iter().any(|line| line["channel"] == channel), "{channel}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_for_metrics_that_is_in_use_is_done_without() {
    let folder = folder();
    let log = folder.path().join("log");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    let mut start = command(folder.path());
    let program = Program::start_json(start.env("ATUMPAN_METRICS_LISTEN", &address), &log);

    let http = program.tenant().await.http;
    let beside = http.get(format!("{}/metrics", program.url)).send().await.unwrap();
    assert_eq!(beside.status().as_u16(), 200, "in development they are beside the API");
    let lines = json_lines(&log);
    let warned = lines.iter().find(|line| line["message"] == "cannot serve the metrics").unwrap();
    assert_eq!((&warned["level"], &warned["address"]), (&"WARN".into(), &address.into()));
}
