//! Items by which an organization runs itself: money, members, keys and webhooks.

use acceptance::{Caller, Receiver, Reply, Tenant, unique_email, until_some};
use serde_json::{Value, json};

use super::{Item, REACHED, create, message};

/// Creates a payment, an invoice, a member, a sender name, a key and a refused call.
pub(super) async fn items(tenant: &Tenant<'_>) -> Vec<Item> {
    let owner = tenant.owner();
    let (member, _) = member(tenant).await;
    let sender = json!({"name": "Kente Shop", "channel": "SMS"});
    let key = create(tenant, "/api-keys", json!({"name": "Web shop"})).await;
    owner.get("/contacts?unknown=field").await.fails(400, "VALIDATION_ERROR");
    vec![
        ("/app/billing/top-ups/", top_up(&owner).await),
        ("/app/billing/invoices/", invoice(&owner).await),
        ("/app/team/members/", member),
        ("/app/settings/sender-names/", create(tenant, "/sender-names", sender).await),
        ("/app/api-keys/", key),
        ("/app/providers/", first_of(&owner, "/providers").await),
    ]
}

/// Adds a webhook whose receiver fails, and returns it with a delivery that failed.
pub(super) async fn webhook(tenant: &Tenant<'_>) -> (String, String) {
    let receiver = Receiver::start(|_, _| Reply::status(503)).await;
    let url = format!("{}/atumpan", receiver.url);
    let endpoint = create(tenant, "/webhook-endpoints", json!({ "url": url })).await;
    let path = format!("/webhook-endpoints/{endpoint}/deliveries");
    let delivery = until_some("a call of the webhook has failed", async || {
        // Until the service knows the endpoint, what happens is told to nobody.
        message(tenant, REACHED, "DELIVERED").await;
        let answer = tenant.owner().get(&path).await;
        let mut deliveries = answer.data(200).as_array().unwrap().iter();
        let failed = deliveries.find(|it| it["statusCode"] == 503);
        failed.map(|it| text(&it["id"])).ok_or_else(|| answer.text.clone())
    })
    .await;
    (endpoint, delivery)
}

/// Adds a member who writes texts, and returns the identifier of the user and the member as a caller.
pub(super) async fn member(tenant: &Tenant<'_>) -> (String, Caller) {
    let email = unique_email("esi");
    let user = tenant.world.user(&email).await;
    let addition = json!({"email": email, "role": "CAMPAIGN_MANAGER"});
    let added = tenant.owner().post("/organizations/invite", addition).await;
    (text(&added.data(201)["userId"]), tenant.member(&text(&user["token"])))
}

/// Begins a payment that waits, and returns its reference.
async fn top_up(owner: &Caller) -> String {
    let payment = json!({"amount": 50.25, "paymentMethod": "card"});
    let begun = owner.post("/billing/top-up", payment).await;
    text(&begun.data(200)["reference"])
}

async fn invoice(owner: &Caller) -> String {
    let payment = json!({"amount": 1_200, "paymentMethod": "invoice"});
    owner.post("/billing/top-up", payment).await.data(200);
    first_of(owner, "/billing/invoices").await
}

/// Returns the identifier of the first item of a list.
async fn first_of(owner: &Caller, list: &str) -> String {
    let answer = owner.get(list).await;
    text(&answer.data(200)[0]["id"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
