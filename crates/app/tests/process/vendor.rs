//! A vendor on this machine: a service that takes messages as JSON over HTTP, and counts them.

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

/// The base64 of 24 bytes.
const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";

/// What a vendor does with messages.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mood {
    /// It takes them, after that time.
    TakesAfter(Duration),
    /// It says that there is no such recipient, after that time.
    RejectsAfter(Duration),
    /// It says that it is out of order.
    IsOutOfOrder,
    /// It has had too many for now.
    Throttles,
}

/// How often each message came, and how often it was taken.
#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    taken: HashMap<String, u32>,
}

/// A vendor that does as it is told.
pub(crate) struct Vendor {
    address: SocketAddr,
    server: Option<MockServer>,
    mood: Arc<Mutex<Mood>>,
    counts: Arc<Mutex<Counts>>,
}

impl Vendor {
    /// A vendor that takes messages at once.
    pub(crate) async fn start() -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mood = Arc::new(Mutex::new(Mood::TakesAfter(Duration::ZERO)));
        let mut vendor = Self { address, server: None, mood, counts: Arc::default() };
        vendor.come_back().await;
        vendor
    }

    /// Changes what it does with messages.
    pub(crate) fn now(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// From here on connections to it are refused.
    pub(crate) fn go_away(&mut self) {
        self.server = None;
    }

    /// Listens where it did before.
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

    /// How often it was called with a message.
    pub(crate) fn calls(&self) -> usize {
        self.counts.lock().unwrap().calls
    }

    /// How many messages it has taken. It has taken none twice.
    pub(crate) fn taken_once(&self) -> usize {
        let counts = self.counts.lock().unwrap();
        let twice: Vec<_> = counts.taken.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "taken twice: {twice:?}");
        counts.taken.len()
    }

    /// How many messages it has taken, some of them perhaps more than once.
    pub(crate) fn taken(&self) -> usize {
        self.counts.lock().unwrap().taken.len()
    }

    /// How often it has taken each message.
    #[cfg(target_os = "linux")]
    pub(crate) fn times_taken(&self) -> HashMap<String, u32> {
        self.counts.lock().unwrap().taken.clone()
    }

    /// Its declaration as the only provider of a channel, with more lines.
    pub(crate) fn declaration(&self, channel: &str, more: &str) -> String {
        let address = self.address;
        format!(
            "[[provider]]\nname = \"{channel}\"\nkind = \"http\"\nchannel = \"{channel}\"\n\
             base_url = \"http://{address}/\"\ncredentials.secret = \"{SECRET}\"\n{more}\n\
             [[provider.route]]\ncountry = \"*\"\n"
        )
    }
}

/// The program with these providers.
pub(crate) fn command_declaring(folder: &Path, declarations: &[String]) -> Command {
    std::fs::write(folder.join("providers.toml"), declarations.join("\n")).unwrap();
    let mut command = command(folder);
    command.env("ATUMPAN_PROVIDERS", "providers.toml");
    command
}
