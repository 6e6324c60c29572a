//! One of every kind of item of an organization, for requests of the organization itself and of
//! others.

use std::time::Duration;

use acceptance::{Tenant, World, until_some};
use adapters_postgres::PgStore;
use reqwest::Method;
use serde_json::json;

use crate::{
    identity::roles::{RETRY, rules},
    platform::slots::{made_by_the_service, make_ready, walk},
    shared::document::{Operation, operations},
    webhooks::recorded_delivery::{FAILED, record},
};

/// Answers that change by themselves: the use of the limits, the entries of the ledger, and refused
/// calls.
const CHANGING: [&str; 3] = ["GET /organizations/limits", "GET /billing/ledger", "GET /requests"];
/// Paths of items that belong to the platform, or that are found by a secret identifier.
const PLATFORM: [&str; 11] = [
    "/admin/payment-exceptions/",
    "/admin/pricing/",
    "/admin/pricing/plans/",
    "/admin/sending-windows/",
    "/auth/sessions/",
    "/admin/users/",
    "/callbacks/providers/",
    "/checkout/",
    "/providers/",
    "/u/",
    "/unsubscribe/",
];

/// Items of an organization.
pub(crate) struct Possessions {
    /// Paths of the items, each with the identifier.
    made: Vec<(String, String)>,
    /// Identifier of a delivery to its webhook endpoint.
    delivery: String,
}

impl Possessions {
    /// Creates one item of every kind. The user `nobody@example.com` must exist.
    pub(crate) async fn of(world: &World, tenant: &Tenant<'_>) -> Self {
        make_ready(tenant).await;
        let mut creations = rules();
        creations.retain(|(name, ..)| name.starts_with("POST ") && !name.contains('{'));
        let store = PgStore::connect(&world.database, 1).unwrap();
        let mut made = made_by_the_service(&store, tenant).await;
        walk(tenant, &creations, &mut made).await;
        made.push(("/admin/tenants".into(), tenant.id.clone()));
        made.push(("/organizations/members".into(), owner(tenant).await));
        made.push(("/admin/approvals".into(), approval(world, tenant).await));

        // Another instance, which does nothing, holds the lease of the endpoint.
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

    /// Returns the identifier of the item below a path.
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

    /// Returns the operation's path with this organization's item; `None` if it is about no item of
    /// an organization.
    pub(crate) fn path(&self, operation: &Operation) -> Option<String> {
        let (home, rest) = operation.template.split_once('{')?;
        if PLATFORM.contains(&home) {
            return None;
        }
        let (_, rest) = rest.split_once('}')?;
        Some(format!("{home}{}{}", self.at(home), rest.replace("{deliveryId}", &self.delivery)))
    }

    /// Returns the identifier of a delivery to its webhook endpoint.
    pub(crate) fn delivery(&self) -> &str {
        &self.delivery
    }

    /// Returns the path of a retry at this organization's endpoint of the other's delivery.
    pub(crate) fn retry_of(&self, other: &Self) -> String {
        let (_, path) = RETRY.split_once(' ').unwrap();
        let path = path.replace("{id}", self.at("/webhook-endpoints/"));
        path.replace("{deliveryId}", &other.delivery)
    }

    /// Waits until the organization no longer changes and returns all that it can read of itself.
    pub(crate) async fn read(&self, tenant: &Tenant<'_>) -> Vec<String> {
        let mut before = Vec::new();
        until_some("what an organization has is as it was", async || {
            // Reports on its messages arrive within that time and change its wallet.
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

/// Returns the identifier of the first member.
async fn owner(tenant: &Tenant<'_>) -> String {
    let members = tenant.owner().get("/organizations/members").await;
    members.data(200)[0]["userId"].as_str().unwrap().to_owned()
}

/// Returns the text without the times of counting: contacts are counted for each answer.
fn without_time_of_counting(text: &str) -> String {
    let mut parts = text.split("\"countedAt\":");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once(',').map_or("", |(_, rest)| rest));
    first + &rest.collect::<String>()
}

/// Returns the identifier of the organization's pending approval.
async fn approval(world: &World, tenant: &Tenant<'_>) -> String {
    let waiting = world.administrator().await.get("/admin/approvals").await;
    let approvals = waiting.data(200).as_array().unwrap().clone();
    let own = approvals.iter().find(|it| it["organizationId"] == tenant.id.as_str());
    own.unwrap()["id"].as_str().unwrap().to_owned()
}
