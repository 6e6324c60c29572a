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
use testkit::{HttpServer, Received, Reply};

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
    server: Option<HttpServer>,
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
        let (mood, counts) = (Arc::clone(&self.mood), Arc::clone(&self.counts));
        let answer = move |call: Received| {
            if call.method != "POST" {
                return Reply::status(200);
            }
            let mut counts = counts.lock().unwrap();
            counts.calls += 1;
            match *mood.lock().unwrap() {
                Mood::TakesAfter(time) => {
                    *counts.taken.entry(call.id().to_owned()).or_default() += 1;
                    Reply::json(200, &json!({"id": call.id()})).after(time)
                }
                Mood::RejectsAfter(time) => {
                    let error = json!({"error": {"code": "INVALID_RECIPIENT"}});
                    Reply::json(400, &error).after(time)
                }
                Mood::IsOutOfOrder => Reply::status(503),
                Mood::Throttles => Reply::status(429).with("Retry-After", "1"),
            }
        };
        self.server = Some(HttpServer::start_at(self.address, answer).await.unwrap());
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
