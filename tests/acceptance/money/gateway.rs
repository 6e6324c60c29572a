//! Service with the simulated gateway, and calls in the name of the gateway.

use acceptance::{Answer, Caller, Settings, Tenant, World};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Sha256, Sha512};

/// Secret of the gateway's signatures.
pub(crate) const SECRET: &str = "sk-of-the-tests";
const SETTINGS: Settings = &[("ATUMPAN_GATEWAY_SECRET", SECRET), ("ATUMPAN_RATE_LIMITS", "off")];
pub(crate) const WEBHOOK: &str = "/billing/webhooks/gateway";
/// Header of the signature.
pub(crate) const SIGNATURE: &str = "x-gateway-signature";

pub(crate) async fn start() -> World {
    World::start_with(SETTINGS).await
}

/// Returns the service with the gateway that tests share.
pub(crate) async fn with_gateway() -> World {
    World::shared_with(SETTINGS).await
}

pub(crate) async fn top_up(caller: &Caller, amount: f64) -> Value {
    caller.post("/billing/top-up", json!({ "amount": amount })).await.data(200).clone()
}

pub(crate) async fn verify(caller: &Caller, reference: &Value) -> Answer {
    caller.post("/billing/verify-payment", json!({ "reference": reference })).await
}

/// Returns the gateway's event of a paid top-up.
pub(crate) fn paid(reference: &Value, pesewas: u64) -> Value {
    json!({
        "event": "charge.success",
        "data": {
            "id": 1, "domain": "test", "status": "success", "reference": reference,
            "amount": pesewas, "currency": "GHS", "metadata": 0, "fees": null,
        },
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

pub(crate) fn sha512(body: &[u8]) -> String {
    let mac = Hmac::<Sha512>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(body);
    hex(&mac.finalize().into_bytes())
}

pub(crate) fn sha256(body: &[u8]) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(body);
    hex(&mac.finalize().into_bytes())
}

/// Sends a body to the webhook, with a header.
pub(crate) async fn call_webhook(
    world: &World,
    body: Vec<u8>,
    name: &str,
    signature: &str,
) -> Answer {
    let request = world.http.post(format!("{}{WEBHOOK}", world.url));
    let request = request.header("Content-Type", "application/json").header(name, signature);
    world.send(request.body(body)).await
}

/// Sends a correctly signed event to the webhook.
pub(crate) async fn call_webhook_signed(world: &World, event: &Value) -> Answer {
    let body = event.to_string().into_bytes();
    let signature = sha512(&body);
    call_webhook(world, body, SIGNATURE, &signature).await
}

/// Presses a button on the checkout page of a top-up.
pub(crate) async fn press(world: &World, top_up: &Value, button: &str) -> Answer {
    let page = top_up["checkoutUrl"].as_str().unwrap();
    world.send(world.http.post(format!("{page}/{button}")).header("Accept", "text/html")).await
}

/// Asserts an amount in GHS.
#[track_caller]
pub(crate) fn assert_amount(balance: f64, expected: f64) {
    assert!((balance - expected).abs() < 1e-9, "{balance}, not {expected}");
}

/// Returns the number of payments that could not be credited for that reason.
pub(crate) async fn exceptions(tenant: &Tenant<'_>, reason: &str) -> i64 {
    let count = "SELECT count(*) FROM payment_exceptions";
    tenant.world.value(&format!("{count} WHERE reason = '{reason}'")).await
}
