//! Vendor on this machine: a service that takes messages as JSON over HTTP, and counts them.

use std::{
    collections::HashMap,
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::method};

use crate::program::command;

/// Signing secret: the base64 of 24 bytes.
const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";

/// Behaviour of a vendor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mood {
    /// Takes messages, after this time.
    TakesAfter(Duration),
    /// Answers that there is no such recipient, after this time.
    RejectsAfter(Duration),
    /// Answers that it is out of order.
    IsOutOfOrder,
    /// Answers that it has had too many messages.
    Throttles,
}

/// Numbers of times that each message came, and was taken.
#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    taken: HashMap<String, u32>,
}

/// Vendor with controlled behaviour.
pub(crate) struct Vendor {
    address: SocketAddr,
    server: Option<MockServer>,
    mood: Arc<Mutex<Mood>>,
    counts: Arc<Mutex<Counts>>,
}

impl Vendor {
    /// Starts a vendor that takes messages at once.
    pub(crate) async fn start() -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mood = Arc::new(Mutex::new(Mood::TakesAfter(Duration::ZERO)));
        let mut vendor = Self { address, server: None, mood, counts: Arc::default() };
        vendor.come_back().await;
        vendor
    }

    /// Changes the behaviour.
    pub(crate) fn now(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Refuses connections from here on.
    pub(crate) fn go_away(&mut self) {
        self.server = None;
    }

    /// Listens at the same address again.
    pub(crate) async fn come_back(&mut self) {
        let server = MockServer::builder()
            .listener(TcpListener::bind(self.address).unwrap())
            .disable_request_recording()
            .start()
            .await;
        let (mood, counts) = (Arc::clone(&self.mood), Arc::clone(&self.counts));
        let answer = move |request: &Request| {
            let id = request.headers["webhook-id"].to_str().unwrap();
            let mut counts = counts.lock().unwrap();
            counts.calls += 1;
            match *mood.lock().unwrap() {
                Mood::TakesAfter(time) => {
                    *counts.taken.entry(id.to_owned()).or_default() += 1;
                    ResponseTemplate::new(200).set_delay(time).set_body_json(json!({"id": id}))
                }
                Mood::RejectsAfter(time) => ResponseTemplate::new(400)
                    .set_delay(time)
                    .set_body_json(json!({"error": {"code": "INVALID_RECIPIENT"}})),
                Mood::IsOutOfOrder => ResponseTemplate::new(503),
                Mood::Throttles => ResponseTemplate::new(429).insert_header("Retry-After", "1"),
            }
        };
        Mock::given(method("POST")).respond_with(answer).mount(&server).await;
        Mock::given(method("GET")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
        self.server = Some(server);
    }

    /// Returns the number of calls with a message.
    pub(crate) fn calls(&self) -> usize {
        self.counts.lock().unwrap().calls
    }

    /// Returns the number of messages taken. Asserts that none was taken twice.
    pub(crate) fn taken_once(&self) -> usize {
        let counts = self.counts.lock().unwrap();
        let twice: Vec<_> = counts.taken.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "taken twice: {twice:?}");
        counts.taken.len()
    }

    /// Returns the number of messages taken, some of them perhaps more than once.
    pub(crate) fn taken(&self) -> usize {
        self.counts.lock().unwrap().taken.len()
    }

    /// Returns the number of times that each message was taken.
    #[cfg(target_os = "linux")]
    pub(crate) fn times_taken(&self) -> HashMap<String, u32> {
        self.counts.lock().unwrap().taken.clone()
    }

    /// Returns its declaration as the only provider of a channel, with more lines.
    pub(crate) fn declaration(&self, channel: &str, more: &str) -> String {
        let address = self.address;
        format!(
            "[[provider]]\nname = \"{channel}\"\nkind = \"http\"\nchannel = \"{channel}\"\n\
             base_url = \"http://{address}/\"\ncredentials.secret = \"{SECRET}\"\n{more}\n\
             [[provider.route]]\ncountry = \"*\"\n"
        )
    }
}

/// Returns a command of the program with these providers.
pub(crate) fn command_declaring(folder: &Path, declarations: &[String]) -> Command {
    std::fs::write(folder.join("providers.toml"), declarations.join("\n")).unwrap();
    let mut command = command(folder);
    command.env("ATUMPAN_PROVIDERS", "providers.toml");
    command
}
