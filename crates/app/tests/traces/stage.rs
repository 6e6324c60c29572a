//! Program with a vendor, a receiver of webhooks and a collector around it.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Caller, Received, Receiver, Reply, Service, Tenant, text_message};

use crate::collector::Collector;

/// Secret of the vendor: the base64 of 24 bytes.
const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";

/// Text of the messages that the vendor refuses.
const REFUSED: &str = "Nobody reads this";

/// Folder of the program, and the servers around it.
pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) collector: Collector,
    vendor: Receiver,
    pub(crate) receiver: Receiver,
}

impl Stage {
    /// Starts the servers.
    pub(crate) async fn open() -> Self {
        let vendor = Receiver::start(|call, _| {
            if call.body.contains(REFUSED) {
                Reply::json(400, &json!({"error": {"code": "INVALID_RECIPIENT"}}))
            } else if call.method == "POST" {
                Reply::json(200, &json!({"id": call.id()}))
            } else {
                Reply::status(200)
            }
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        // The unprivileged account of the database reads it.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let providers = format!(
            "[[provider]]\nname = \"sms\"\nkind = \"http\"\nchannel = \"SMS\"\n\
             base_url = \"{}/\"\ncredentials.secret = \"{SECRET}\"\n\
             [[provider.route]]\ncountry = \"*\"\n",
            vendor.url
        );
        fs::write(folder.path().join("providers.toml"), providers).unwrap();
        let receiver = Receiver::start(|_, _| Reply::status(204)).await;
        Self { folder, collector: Collector::start().await, vendor, receiver }
    }

    /// Replaces the vendor by a simulated one, which reports on each message.
    pub(crate) fn simulate(&self) {
        let providers = "[[provider]]\nname = \"sms\"\nkind = \"simulated\"\nchannel = \"SMS\"\n\
                         [[provider.route]]\ncountry = \"*\"\n";
        fs::write(self.folder.path().join("providers.toml"), providers).unwrap();
    }

    /// Starts the program with more settings.
    pub(crate) fn serve(&self, settings: &[(&str, &str)]) -> Service {
        let mut command = testkit::command(env!("CARGO_BIN_EXE_atumpan"));
        command
            .current_dir(self.folder.path())
            .env("ATUMPAN_PROVIDERS", "providers.toml")
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", self.collector.url())
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-team=notify%20us")
            .env("OTEL_SERVICE_NAME", "shop");
        for (name, value) in settings {
            command.env(name, value);
        }
        Service::start(&mut command).unwrap()
    }

    /// Returns the calls of the vendor that handed messages over.
    pub(crate) fn handed_over(&self) -> Vec<Received> {
        let calls = self.vendor.received().into_iter();
        calls.filter(|call| call.method == "POST").collect()
    }

    /// Subscribes the receiver to the events of an organization, and waits until that holds.
    pub(crate) async fn subscribe(&self, tenant: &Tenant, program: &Service) {
        let endpoint = json!({"url": self.receiver.url});
        let (status, text) = tenant.post(program, "/webhook-endpoints", endpoint).await;
        assert_eq!(status, 201, "{text}");
        tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    }

    /// Sends a message, and returns its identifier as digits.
    pub(crate) async fn send(caller: &Caller) -> String {
        accept(caller, text_message()).await
    }

    /// Sends a message that the vendor refuses, and returns its identifier as digits.
    pub(crate) async fn send_refused(caller: &Caller) -> String {
        let mut message = text_message();
        message["body"] = REFUSED.into();
        accept(caller, message).await
    }
}

async fn accept(caller: &Caller, message: Value) -> String {
    let answer = caller.post("/messages/send", message).await;
    answer.data(202)["id"].as_str().unwrap().replace('-', "")
}
