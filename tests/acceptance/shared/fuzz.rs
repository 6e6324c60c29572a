//! Fuzzing of every operation, reproducible at every run.

use acceptance::{Tenant, World};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};
use testkit::is_long;

use crate::shared::{
    document::{Operation, operations},
    wire::{answer, assert_orderly},
};

const SEED: u64 = 0x0a7b_3c5d;
/// Requests per operation, in short and long runs.
const ROUNDS: [usize; 2] = [4, 60];
const TEXTS: [&str; 16] = [
    "",
    " ",
    "\0",
    "SMS",
    "0241234567",
    "ama@example.com",
    "{{name}}",
    "{{",
    "-1",
    "' OR 1=1 --",
    "=1+1",
    "\u{202e}\u{feff}",
    "😀\u{1f468}\u{200d}\u{1f469}",
    "9999-12-31T23:59:59Z",
    "01a1fe23-0000-7000-8000-00000000000f",
    "msg_01a1fe23000070008000000000000000",
];

/// Source of pseudo-random numbers.
struct Chance(u64);

impl Chance {
    /// Returns the next number of `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn text(&mut self) -> String {
        let text = TEXTS[self.below(TEXTS.len())];
        if self.one_in(12) { text.repeat(1 + self.below(400)) } else { text.to_owned() }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.one_in(2)),
            2 => json!(self.next().cast_signed()),
            3 => json!(f64::from_bits(self.next())),
            4 | 5 => json!(self.text()),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.below(4)).map(|_| (self.text(), self.value(depth - 1))).collect(),
        }
    }

    /// Returns the example of an operation with some fields removed, replaced or nested deeper.
    fn body(&mut self, operation: &Operation) -> Value {
        let Some(Value::Object(mut body)) = operation.example() else { return self.value(3) };
        let properties = operation.schema.as_ref().unwrap()["properties"].as_object().unwrap();
        let fields: Vec<_> = properties.keys().collect();
        for _ in 0..=self.below(3) {
            let field = fields[self.below(fields.len())];
            match self.below(6) {
                0 => drop(body.remove(field)),
                1 => drop(body.insert(self.text(), self.value(2))),
                2 if body.get("messages").is_some() => self.spoil(&mut body),
                _ => drop(body.insert(field.clone(), self.value(3))),
            }
        }
        Value::Object(body)
    }

    /// Spoils one item of a list of messages.
    fn spoil(&mut self, body: &mut Map<String, Value>) {
        let Some(Value::Array(items)) = body.get_mut("messages") else { return };
        let at = self.below(items.len().max(1));
        let field = ["channel", "to", "body", "variables", "senderId", "templateId"][self.below(6)];
        if let Some(Value::Object(item)) = items.get_mut(at) {
            item.insert(field.to_owned(), self.value(2));
        }
    }

    /// Returns JSON, sometimes with one byte replaced.
    fn bytes(&mut self, operation: &Operation) -> Vec<u8> {
        let mut bytes = self.body(operation).to_string().into_bytes();
        if self.one_in(8) && !bytes.is_empty() {
            let at = self.below(bytes.len());
            bytes[at] = u8::try_from(self.below(256)).unwrap();
        }
        bytes
    }
}

async fn try_once(tenant: &Tenant<'_>, key: &str, operation: &Operation, chance: &mut Chance) {
    let path = operation.path(&chance.text());
    let mut url = reqwest::Url::parse(&tenant.world.url).unwrap();
    url.set_path(&path);
    if chance.one_in(2) {
        let names = ["page", "limit", "status", "channel"];
        url.query_pairs_mut().append_pair(names[chance.below(4)], &chance.text());
    }
    let mut request = tenant.world.http.request(operation.method.clone(), url);
    request = match chance.below(4) {
        0 if operation.takes_key => request.header("X-API-Key", key),
        _ => request.bearer_auth(&tenant.token).header("X-Organization-Id", &tenant.id),
    };
    let body = chance.bytes(operation);
    let shown = String::from_utf8_lossy(&body).into_owned();
    request = request.header(CONTENT_TYPE, "application/json").body(body);
    let answer = answer(request).await;
    assert_orderly(&answer, &format!("{} {path} {shown}", operation.method));
}

#[tokio::test]
async fn nonsense_never_causes_a_server_error() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let created = tenant.owner().post("/api-keys", json!({"name": "fuzz"})).await;
    let key = created.data(201)["key"].as_str().unwrap();
    let mut chance = Chance(SEED);
    let rounds = ROUNDS[usize::from(is_long())];
    // Without a session, all others would be refused.
    let is_fuzzed = |operation: &Operation| !operation.template.starts_with("/auth/logout");
    for operation in operations().into_iter().filter(is_fuzzed) {
        for _ in 0..rounds {
            try_once(&tenant, key, &operation, &mut chance).await;
        }
    }

    assert_eq!(world.get("/health").await.status, 200);
    tenant.assert_ledger_adds_up().await;
}
