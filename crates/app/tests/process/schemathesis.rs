//! Schemathesis, which generates requests from the API document and checks the responses against
//! it.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Caller, Service, client, is_long, requires, skipped};

use crate::program::{command, folder, serve_with};

/// Seconds of each of its phases, in short and whole.
const SECONDS: [u64; 2] = [4, 75];
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures");
const EMAIL: &str = "admin@example.com";
const PASSWORD: &str = "correct horse battery";

/// Returns a folder with the program, and the interpreter that runs it; `None` if either is not
/// available.
fn installed() -> Option<(TempDir, Command)> {
    let folder = tempfile::tempdir().unwrap();
    let done = requires("pip")?
        .args(["-m", "pip", "install", "-q", "--require-hashes", "--only-binary", ":all:"])
        .args(["-r", &format!("{FIXTURES}/schemathesis.txt"), "--target"])
        .arg(folder.path())
        .output()
        .unwrap();
    if !done.status.success() {
        let problem = String::from_utf8_lossy(&done.stderr);
        skipped(&format!("schemathesis cannot be installed: {problem}"));
        return None;
    }
    Some((folder, requires("pip")?))
}

/// Returns the token of a platform administrator, and an organization that the same person owns.
async fn owner(program: &Service) -> [String; 2] {
    let guest = Caller::guest(&client(), &program.url);
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let login = guest.post("/auth/login", login).await;
    let token = login.data(200)["token"].as_str().unwrap().to_owned();
    let owner = guest.with("Authorization", &format!("Bearer {token}"));
    let founded = owner.post("/organizations", json!({"name": "Kente Ltd"})).await;
    [token, founded.data(201)["id"].as_str().unwrap().to_owned()]
}

/// Returns the document with null in all optional fields of requests: the service takes it for a
/// missing field, which the document does not say in each.
fn with_nulls(mut document: Value) -> Value {
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    for schema in schemas.values_mut().filter(|schema| schema["additionalProperties"] == false) {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, field) in schema["properties"].as_object_mut().unwrap() {
            if !required.contains(&json!(name)) {
                *field = json!({ "anyOf": [field, { "type": "null" }] });
            }
        }
    }
    document
}

/// Runs it against the program; returns true if it found nothing, and its output.
fn run(
    mut python: Command,
    tools: &Path,
    url: &str,
    document: &Path,
    [token, organization]: &[String; 2],
) -> (bool, String) {
    let settings = fs::read_to_string(format!("{FIXTURES}/schemathesis.toml")).unwrap();
    let limit = format!("max-time = {}", SECONDS[usize::from(is_long())]);
    fs::write(tools.join("schemathesis.toml"), format!("{limit}\n{settings}")).unwrap();
    let output = python
        .args(["-m", "schemathesis.cli", "--config-file", "schemathesis.toml"])
        .arg("run")
        .arg(document)
        .args(["--url", url, "--no-color"])
        .args(["-H", &format!("Authorization: Bearer {token}")])
        .args(["-H", &format!("X-Organization-Id: {organization}")])
        .env("PYTHONPATH", tools)
        .current_dir(tools)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schemathesis_finds_no_answer_that_the_document_does_not_have() {
    let Some((tools, python)) = installed() else { return };
    let folder = folder();
    let mut service = command(folder.path());
    service.env("ATUMPAN_ADMIN_EMAIL", EMAIL).env("ATUMPAN_ADMIN_PASSWORD", PASSWORD);
    let program = serve_with(&mut service);
    let owner = owner(&program).await;
    let document = folder.path().join("openapi.json");
    let written = command(folder.path()).arg("openapi").output().unwrap();
    let described = with_nulls(serde_json::from_slice(&written.stdout).unwrap());
    fs::write(&document, described.to_string()).unwrap();

    let (is_clean, said) = run(python, tools.path(), &program.url, &document, &owner);

    assert!(is_clean, "{said}");
    let tested = said.lines().find(|line| line.trim_start().starts_with("Test cases:"));
    assert!(tested.is_some(), "{said}");
    assert_eq!(program.status("/health").await, 200);
}
