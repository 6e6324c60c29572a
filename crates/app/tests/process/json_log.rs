//! With `ATUMPAN_LOG=json` every line of the output is a JSON object that programs can read.

use std::fs;

use serde_json::{Value, json};

use crate::program::{command, folder, json_lines, run, serve_json};

/// Counts the keys of the outermost object as they are written: a parser would keep one of two
/// equal keys.
fn keys(line: &str) -> Vec<String> {
    let parsed: Value = serde_json::from_str(line).unwrap();
    let names = parsed.as_object().unwrap().keys();
    let mut keys = Vec::new();
    for name in names {
        let written = format!("{}:", Value::from(name.as_str()));
        keys.extend(vec![name.clone(); line.matches(&written).count()]);
    }
    keys
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_is_an_object_without_repeated_keys() {
    let folder = folder();
    let log = folder.path().join("log");
    let mut program = serve_json(&mut command(folder.path()), &log);
    let tenant = program.tenant().await;
    // A failing message, for the line about an attempt that a provider refused.
    let message = json!({"channel": "SMS", "to": "0240000000", "body": "Akwaaba"});
    let (status, answer) = tenant.post(&program, "/messages/send", message).await;
    assert_eq!(status, 201, "{answer}");

    program.signal("TERM");
    assert!(program.wait().success());

    assert_eq!(program.rest(), "", "nothing is said beside the log");
    let lines = json_lines(&log);
    let said = |text: &str| lines.iter().find(|line| line["message"] == text);
    let start = said("atumpan starts").unwrap();
    for (key, value) in [
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("environment", json!("development")),
        ("redis", json!("none")),
        ("workers", json!(256)),
        ("embedded_database", json!(true)),
        ("rate_limits", json!(false)),
    ] {
        assert_eq!(start[key], value, "{start}");
    }
    assert!(start["database"].as_str().unwrap().ends_with("/atumpan"), "{start}");
    let sms = lines.iter().find(|line| line["channel"] == "SMS").unwrap();
    assert_eq!(sms["providers"], "simulated-sms");
    assert!(said("stopping; once more to stop at once").is_some());
    for line in fs::read_to_string(&log).unwrap().lines() {
        let mut keys = keys(line);
        let count = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), count, "{line}");
    }
}

#[test]
fn a_failed_start_is_reported_as_an_object() {
    let folder = folder();
    let mut failing = command(folder.path());
    failing.env("ATUMPAN_LOG", "json").env("ATUMPAN_WORKERS", "many");
    let output = run(&mut failing);
    assert_eq!(output.status.code(), Some(1));
    let line: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(line["error"], "ATUMPAN_WORKERS must be from 0 to 4096");
    assert_eq!(line["level"], "ERROR");
}
