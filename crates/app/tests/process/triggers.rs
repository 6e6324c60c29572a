//! Crashes between the channels of events: each channel is tried once.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Service, Tenant, until};

use crate::{
    program::{folder, serve_with},
    vendor::{Mood, Vendor, command_declaring},
};

const TRIGGERS: usize = 20;
/// Shortest time from a failure to the next channel.
const GRACE: Duration = Duration::from_millis(500);

/// Creates an event with SMS and then voice.
async fn event(tenant: &Tenant, program: &Service, fallback: Value) {
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = made(tenant, program, "/templates", template).await;
    let mut rules = json!({"channels": ["VOICE"]});
    rules.as_object_mut().unwrap().extend(fallback.as_object().unwrap().clone());
    let event = json!({
        "name": "Parcel", "slug": "parcel", "templateId": template["id"], "fallbackRules": rules,
    });
    made(tenant, program, "/events", event).await;
}

async fn made(tenant: &Tenant, program: &Service, path: &str, body: Value) -> Value {
    let (status, text) = tenant.post(program, path, body).await;
    assert_eq!(status, 201, "{text}");
    serde_json::from_str::<Value>(&text).unwrap()["data"].clone()
}

async fn trigger(tenant: &Tenant, program: &Service) {
    for number in 0..TRIGGERS {
        let to = format!("0241234{number:03}");
        let trigger = json!({"event": "parcel", "to": to, "async": true});
        let (status, text) = tenant.post(program, "/events/trigger", trigger).await;
        assert_eq!(status, 202, "{text}");
    }
}

/// Vendors of the two channels, and a service that has both.
struct Installation {
    folder: tempfile::TempDir,
    sms: Vendor,
    voice: Vendor,
}

impl Installation {
    async fn new() -> Self {
        Self { folder: folder(), sms: Vendor::start().await, voice: Vendor::start().await }
    }

    fn start(&self) -> Service {
        let declarations = [self.sms.declaration("SMS", ""), self.voice.declaration("VOICE", "")];
        serve_with(&mut command_declaring(self.folder.path(), &declarations))
    }

    /// Waits until each trigger has been sent by voice, and for a while longer to see that no more
    /// come.
    async fn assert_each_is_sent_once(&self, tenant: &Tenant, program: &Service, sms: &str) {
        until("each was sent by voice", async || self.voice.taken() >= TRIGGERS).await;
        tenant.until(program, sms, TRIGGERS as u64).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(self.voice.taken_once(), TRIGGERS);
        let answer = tenant.get(program, "/delivery-logs?limit=1").await;
        assert_eq!(answer["pagination"]["total"], 2 * TRIGGERS);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_between_a_failure_and_the_next_channel_leaves_one_message_for_each_channel() {
    let service = Installation::new().await;
    service.sms.now(Mood::RejectsAfter(Duration::ZERO));
    let mut program = service.start();
    let tenant = program.tenant().await;
    event(&tenant, &program, json!({})).await;

    trigger(&tenant, &program).await;
    tenant.until(&program, "FAILED", TRIGGERS as u64).await;
    program.crash();
    program = service.start();
    // Some of the next channels are being tried.
    tokio::time::sleep(GRACE).await;
    program.crash();
    program = service.start();

    service.assert_each_is_sent_once(&tenant, &program, "FAILED").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_while_a_channel_is_waited_for_leaves_one_message_for_each_channel() {
    let service = Installation::new().await;
    let mut program = service.start();
    let tenant = program.tenant().await;
    event(&tenant, &program, json!({"afterSeconds": 8})).await;

    trigger(&tenant, &program).await;
    tenant.until(&program, "SENT", TRIGGERS as u64).await;
    assert_eq!(service.voice.calls(), 0, "it was killed too late");
    program.crash();
    program = service.start();

    service.assert_each_is_sent_once(&tenant, &program, "SENT").await;
    assert_eq!(service.sms.taken_once(), TRIGGERS);
}
