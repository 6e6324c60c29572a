//! Service with a gateway that speaks Paystack's protocol.

use std::sync::{Arc, Mutex};

use acceptance::{Receiver, Reply, Tenant, World, until};
use serde_json::{Value, json};

use crate::money::gateway::{
    SECRET, assert_amount, call_webhook_signed, exceptions, paid, top_up, verify,
};

/// Gateway with configurable answers.
struct Gateway {
    _server: Receiver,
    /// Status of its answers, and its data on payments.
    answers: Arc<Mutex<(u16, Value)>>,
    orders: Arc<Mutex<Vec<Value>>>,
}

impl Gateway {
    async fn start() -> (Self, World) {
        let answers = Arc::new(Mutex::new((200, json!({"status": "abandoned"}))));
        let orders = Arc::<Mutex<Vec<Value>>>::default();
        let (current, kept) = (Arc::clone(&answers), Arc::clone(&orders));
        let server = Receiver::start(move |call, _| {
            let (status, data) = current.lock().unwrap().clone();
            if call.path == "/transaction/initialize" {
                assert_eq!(call.headers["authorization"], format!("Bearer {SECRET}"));
                kept.lock().unwrap().push(call.json());
                let data = json!({"authorization_url": "https://checkout.example.com/x"});
                let message = "Authorization URL created";
                let body = json!({"status": true, "message": message, "data": data});
                return Reply::json(status, &body);
            }
            assert!(call.path.starts_with("/transaction/verify/topup-"), "{}", call.path);
            let body = json!({"status": true, "message": "Verification successful", "data": data});
            Reply::json(status, &body)
        })
        .await;
        let world = World::start_with(&[
            ("ATUMPAN_GATEWAY_URL", &server.url),
            ("ATUMPAN_GATEWAY_SECRET", SECRET),
            ("ATUMPAN_RATE_LIMITS", "off"),
        ])
        .await;
        (Self { _server: server, answers, orders }, world)
    }

    fn answers(&self, status: u16, data: Value) {
        *self.answers.lock().unwrap() = (status, data);
    }
}

/// Gives every open top-up of the organization that age, and makes it due.
async fn pass(tenant: &Tenant<'_>, time: &str) {
    let pass = format!(
        "UPDATE top_ups SET check_at = now(), created_at = now() - interval '{time}' \
         WHERE organization_id = '{}' AND status = 'PENDING'",
        tenant.id
    );
    tenant.world.sql(&pass).await;
}

async fn with_status(tenant: &Tenant<'_>, status: &str) -> i64 {
    let (id, count) = (&tenant.id, "SELECT count(*) FROM top_ups");
    let count = format!("{count} WHERE organization_id = '{id}' AND status = '{status}'");
    tenant.world.value(&count).await
}

#[tokio::test]
async fn a_payment_is_credited_by_verification_or_by_webhook() {
    let (gateway, world) = Gateway::start().await;
    let tenant = world.tenant().await;

    let begun = top_up(&tenant.owner(), 12.34).await;
    assert_eq!(begun["checkoutUrl"], "https://checkout.example.com/x");
    let order = gateway.orders.lock().unwrap()[0].clone();
    let expected = json!({
        "email": tenant.email, "amount": 1_234, "currency": "GHS", "reference": begun["reference"],
        "channels": ["mobile_money"], "metadata": {"organizationId": tenant.id},
    });
    assert_eq!(order, expected);

    verify(&tenant.owner(), &begun["reference"]).await.fails(400, "PAYMENT_FAILED");
    gateway.answers(200, paid(&begun["reference"], 1_240)["data"].clone());
    let verified = verify(&tenant.owner(), &begun["reference"]).await;
    assert_eq!(verified.data(200)["status"], "CREDITED");
    assert_eq!(verified.data(200)["amount"], 12.34);
    call_webhook_signed(&world, &paid(&begun["reference"], 1_240)).await.data(200);
    let again = "SELECT count(*) FROM gateway_events WHERE outcome = 'ALREADY_CREDITED'";
    assert_eq!(world.value(again).await, 1);
    assert_amount(tenant.balance().await, 22.34);
    let reference = begun["reference"].as_str().unwrap();
    world.get(&format!("/checkout/{reference}")).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn finds_unreported_payments_and_expires_unpaid_top_ups() {
    let (gateway, world) = Gateway::start().await;
    let tenant = world.tenant().await;
    let begun = top_up(&tenant.owner(), 5.0).await;
    gateway.answers(200, paid(&begun["reference"], 500)["data"].clone());
    pass(&tenant, "2 minutes").await;
    until("it is credited", async || with_status(&tenant, "CREDITED").await == 1).await;
    assert_amount(tenant.balance().await, 15.0);

    let small = top_up(&tenant.owner(), 5.0).await;
    gateway.answers(200, paid(&small["reference"], 499)["data"].clone());
    pass(&tenant, "80 hours").await;
    until("it is given up", async || with_status(&tenant, "ABANDONED").await == 1).await;
    assert_eq!(exceptions(&tenant, "AMOUNT_TOO_SMALL").await, 1);
    // The payer pays after all.
    call_webhook_signed(&world, &paid(&small["reference"], 500)).await.data(200);
    assert_amount(tenant.balance().await, 20.0);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_failing_gateway_loses_no_payment() {
    let (gateway, world) = Gateway::start().await;
    let tenant = world.tenant().await;
    for (status, kept) in [(500, "PENDING"), (400, "FAILED")] {
        gateway.answers(status, json!({}));
        let refused = tenant.owner().post("/billing/top-up", json!({"amount": 5})).await;
        refused.fails(503, "SERVICE_UNAVAILABLE");
        assert!(refused.text.contains("payment gateway"), "{}", refused.text);
        assert_eq!(with_status(&tenant, kept).await, 1, "{kept}");
    }
    gateway.answers(200, json!({"status": "abandoned"}));
    let begun = top_up(&tenant.owner(), 5.0).await;
    gateway.answers(502, json!({}));
    verify(&tenant.owner(), &begun["reference"]).await.fails(503, "SERVICE_UNAVAILABLE");
    // The two top-ups that may still be paid are checked later.
    pass(&tenant, "80 hours").await;
    let later = format!(
        "SELECT count(*) FROM top_ups WHERE organization_id = '{}' \
         AND check_at > now() + interval '5 minutes'",
        tenant.id
    );
    until("they are asked about later", async || world.value(&later).await == 2).await;
    gateway.answers(200, paid(&begun["reference"], 500)["data"].clone());
    assert_eq!(verify(&tenant.owner(), &begun["reference"]).await.data(200)["status"], "CREDITED");
}
