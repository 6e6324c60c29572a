//! One of everything that an organization can have, to be asked for by whoever it belongs to and by
//! whoever it does not.

use std::time::Duration;

use acceptance::{Tenant, World, until_some};
use adapters_postgres::PgStore;
use reqwest::Method;
use serde_json::json;

use crate::{
    identity::roles::{RETRY, rules},
    platform::slots::{made_by_the_service, make_ready, walk},
    shared::document::{Operation, operations},
    webhooks::webhook_records::{FAILED, record},
};

/// Answers that change by themselves: how much of the limits is left, and what has been entered by now.
const CHANGING: [&str; 2] = ["GET /organizations/limits", "GET /billing/ledger"];
/// Addresses of what belongs to the platform, or is found by what only its reader knows.
const PLATFORM: [&str; 9] = [
    "/admin/payment-exceptions/",
    "/admin/pricing/",
    "/admin/pricing/plans/",
    "/admin/sending-windows/",
    "/callbacks/providers/",
    "/checkout/",
    "/providers/",
    "/u/",
    "/unsubscribe/",
];

/// What an organization has.
pub(crate) struct Possessions {
    /// Identifiers by the address at which they are found.
    made: Vec<(String, String)>,
    /// A delivery to its webhook endpoint.
    delivery: String,
}

impl Possessions {
    /// Makes one of everything. A user `nobody@example.com` must be there.
    pub(crate) async fn of(world: &World, tenant: &Tenant<'_>) -> Self {
        make_ready(tenant).await;
        let mut creations = rules();
        creations.retain(|(name, ..)| name.starts_with("POST ") && !name.contains('{'));
        let store = PgStore::connect(&world.database, 1).unwrap();
        let mut made = made_by_the_service(&store, tenant).await;
        walk(tenant, &creations, &mut made).await;
        made.push(("/admin/tenants".into(), tenant.id.clone()));
        made.push(("/admin/approvals".into(), approval(world, tenant).await));

        // Another instance calls the endpoint, and does nothing.
        let id = &tenant.id;
        let lease = "lease = gen_random_uuid(), leased_until = now() + interval '1 day'";
        world
            .sql(&format!("UPDATE webhook_endpoints SET {lease} WHERE organization_id = '{id}'"))
            .await;
        let mut own = Self { made, delivery: String::new() };
        let endpoint = own.at("/webhook-endpoints/").to_owned();
        record(world, tenant, &json!({"id": endpoint}), "campaign.completed", FAILED).await;
        let deliveries = format!("/webhook-endpoints/{endpoint}/deliveries?status=FAILED");
        let answer = tenant.owner().get(&deliveries).await;
        let id = answer.data(200)[0]["id"].as_str().unwrap();
        id.clone_into(&mut own.delivery);
        own
    }

    /// What is found below an address.
    pub(crate) fn at(&self, home: &str) -> &str {
        let known = self.made.iter().find(|(address, _)| format!("{address}/").starts_with(home));
        let (_, id) = known.unwrap_or_else(|| {
            panic!(
                "nothing is made that is found at {home}{{id}}: add it to `Possessions`, or to \
                 `PLATFORM` if it belongs to no organization"
            )
        });
        id
    }

    /// The operation's address, about what this organization has; none if it is about nothing of an
    /// organization.
    pub(crate) fn path(&self, operation: &Operation) -> Option<String> {
        let (home, rest) = operation.template.split_once('{')?;
        if PLATFORM.contains(&home) {
            return None;
        }
        let (_, rest) = rest.split_once('}')?;
        Some(format!("{home}{}{}", self.at(home), rest.replace("{deliveryId}", &self.delivery)))
    }

    /// The address of a repetition at one organization's endpoint of another's delivery.
    pub(crate) fn retry_of(&self, other: &Self) -> String {
        let (_, path) = RETRY.split_once(' ').unwrap();
        let path = path.replace("{id}", self.at("/webhook-endpoints/"));
        path.replace("{deliveryId}", &other.delivery)
    }

    /// All that the organization can read of itself, once it changes no more.
    pub(crate) async fn read(&self, tenant: &Tenant<'_>) -> Vec<String> {
        let mut before = Vec::new();
        until_some("what an organization has is as it was", async || {
            // Its messages are reported within that time, and its wallet moves.
            tokio::time::sleep(Duration::from_secs(2)).await;
            let now = self.read_once(tenant).await;
            let earlier = std::mem::replace(&mut before, now.clone());
            if earlier == now { Ok(now) } else { Err(format!("{earlier:?}, then {now:?}")) }
        })
        .await
    }

    async fn read_once(&self, tenant: &Tenant<'_>) -> Vec<String> {
        let mut read = Vec::new();
        let inside = operations().into_iter().filter(|it| it.is_inside && it.method == Method::GET);
        for operation in inside.filter(|it| !CHANGING.contains(&it.name().as_str())) {
            let path = self.path(&operation).unwrap_or_else(|| operation.template.clone());
            let answer = tenant.owner().get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            read.push(format!("{}: {}", operation.name(), without_time_of_counting(&answer.text)));
        }
        read
    }
}

/// The text, without the times at which contacts were counted: they are counted for each answer.
fn without_time_of_counting(text: &str) -> String {
    let mut parts = text.split("\"countedAt\":");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once(',').map_or("", |(_, rest)| rest));
    first + &rest.collect::<String>()
}

/// What waits for an administrator's approval.
async fn approval(world: &World, tenant: &Tenant<'_>) -> String {
    let waiting = world.administrator().await.get("/admin/approvals").await;
    let approvals = waiting.data(200).as_array().unwrap().clone();
    let own = approvals.iter().find(|it| it["organizationId"] == tenant.id.as_str());
    own.unwrap()["id"].as_str().unwrap().to_owned()
}
