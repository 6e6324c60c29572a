//! Verification of webhook calls by the libraries of the Standard Webhooks specification.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use adapters_http::outbound::webhooks::{HttpWebhooks, TIMEOUT, WebhookSettings};
use domain::{
    shared::webhook_event::WebhookEvent,
    webhooks::webhook::{WebhookCall, WebhookSecret},
};
use ports::webhooks::calls::WebhookCaller;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Receiver, requires, skipped};
use tokio::runtime::Handle;

const SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const OLD: &str = "whsec_/+8BI0VniavN7wEjRWeJq83vASNFZ4mr";
const OTHER: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
/// Age of a call that neither library tolerates.
const LATE: Duration = Duration::from_secs(600);

/// Library, the program that installs it into a folder, and the one that runs the verifying script.
struct Library {
    programs: [&'static str; 2],
    install: &'static [&'static str],
    search_path: (&'static str, &'static str),
    script: &'static str,
}

const NPM: Library = Library {
    programs: ["npm", "node"],
    install: &["install", "--ignore-scripts", "standardwebhooks@1.1.1", "--prefix"],
    search_path: ("NODE_PATH", "node_modules"),
    script: concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/verify_webhooks.js"),
};

const PYPI: Library = Library {
    programs: ["pip", "pip"],
    install: &["-m", "pip", "install", "-q", "standardwebhooks==1.1.0", "--target"],
    search_path: ("PYTHONPATH", ""),
    script: concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/verify_webhooks.py"),
};

#[tokio::test]
async fn the_npm_library_accepts_only_our_signatures() {
    takes_what_is_ours_and_nothing_else(NPM).await;
}

#[tokio::test]
async fn the_pypi_library_accepts_only_our_signatures() {
    takes_what_is_ours_and_nothing_else(PYPI).await;
}

async fn takes_what_is_ours_and_nothing_else(library: Library) {
    let Some((folder, runner)) = library.installed() else { return };
    let now = SystemTime::now();
    let signed = received(&[SECRET], now).await;
    let rotated = received(&[SECRET, OLD], now).await;
    let late = received(&[SECRET], now - LATE).await;
    let mut changed = signed.clone();
    changed["body"] = format!("{} ", signed["body"].as_str().unwrap()).into();
    let by = |secret: &str, call: &Value| {
        let mut call = call.clone();
        call["secret"] = secret.into();
        call
    };

    let taken = library.verify(
        folder.path(),
        runner,
        &json!([
            by(SECRET, &signed),
            by(SECRET, &rotated),
            by(OLD, &rotated),
            by(OLD, &signed),
            by(OTHER, &rotated),
            by(SECRET, &late),
            by(SECRET, &changed),
        ]),
    );

    assert_eq!(taken, json!([true, true, true, false, false, false, false]));
}

/// Returns the headers and the body of a call, as a receiver gets them.
async fn received(secrets: &[&str], at: SystemTime) -> Value {
    let receiver = Receiver::taking_everything().await;
    let settings = WebhookSettings { allow_private: true, timeout: TIMEOUT };
    let webhooks = HttpWebhooks::new(settings, Handle::current()).unwrap();
    let secret = |text: &&str| WebhookSecret::stored((*text).to_owned());
    let call = WebhookCall {
        organization: "018bcfe5-6800-7000-8000-0000000000a1".parse().unwrap(),
        url: format!("{}/hooks", receiver.url),
        secrets: secrets.iter().map(secret).collect(),
        id: "018bcfe5-6800-7000-8000-000000000001".into(),
        event: WebhookEvent::MessageStatusUpdated,
        body: r#"{"id":"018bcfe5-6800-7000-8000-000000000001","data":{"body":"Akwaaba, Ɛsi 👋"}}"#
            .into(),
        at: at.into(),
        trace: None,
    };
    assert!(webhooks.call(&call).await.outcome.is_success());
    let [request] = &receiver.received()[..] else { panic!("one call") };
    json!({"headers": request.headers, "body": request.body})
}

impl Library {
    /// Returns a folder with the library, and the runner of its script; `None` if either is unavailable.
    fn installed(&self) -> Option<(TempDir, Command)> {
        let [installer, runner] = self.programs;
        let (mut installer, runner) = (requires(installer)?, requires(runner)?);
        let folder = tempfile::tempdir().unwrap();
        let done = installer.args(self.install).arg(folder.path()).output().unwrap();
        if !done.status.success() {
            let problem = String::from_utf8_lossy(&done.stderr);
            skipped(&format!("{:?} failed: {problem}", self.install.join(" ")));
            return None;
        }
        Some((folder, runner))
    }

    /// Returns true or false for each call: true if the library accepts it.
    fn verify(&self, folder: &Path, mut runner: Command, calls: &Value) -> Value {
        let (variable, place) = self.search_path;
        let mut process = runner
            .arg(self.script)
            .env(variable, folder.join(place))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(calls.to_string().as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}
