//! Organization with items of every kind and in every state that pages show.

mod administration;
mod platform;

use acceptance::{Tenant, until_some};
use app::clock::SystemClock;
use chrono::TimeDelta;
use ports::shared::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};

/// Number to which nothing arrives.
const LOST: &str = "0240000000";
const REACHED: &str = "0241234567";
/// Pages of messages that failed.
const AGAIN: &[&str] = &["/app/messages/{id}/resend"];
/// Pages of drafts of campaigns.
const STEPS: &[&str] = &[
    "/app/campaigns/{id}/audience",
    "/app/campaigns/{id}/text",
    "/app/campaigns/{id}/check",
    "/app/campaigns/{id}/time",
    "/app/campaigns/{id}/delete",
];
/// Files of which a row is refused.
const CONTACTS: &str = "phone,firstName,Town\n0271234567,Yaw,Ho\n12,Akua,Tamale\n";
const SUPPRESSIONS: &str = "phone,reason\n0271112222,asked for it\n12,asked for it\n";
/// Title that makes a page as wide as it may become.
const LONG_NAME: &str =
    "Wholesale customers in the Greater Accra Region who bought Christmas hampers";

/// Beginning of the addresses of an item's pages, and its identifier.
type Item = (&'static str, String);

/// Items of an organization.
pub(crate) struct Population {
    items: Vec<Item>,
    /// Delivery to the webhook.
    delivery: String,
    /// Message that did not arrive.
    pub(crate) failed_message: String,
    /// Message that waits for its time.
    pub(crate) scheduled_message: String,
    /// Campaign that is not sent yet.
    pub(crate) draft: String,
}

impl Population {
    /// Creates the items of the organization.
    pub(crate) async fn of(tenant: &Tenant<'_>) -> Self {
        let (endpoint, delivery) = administration::webhook(tenant).await;
        let mut contacts = Vec::new();
        for (name, phone) in [("Ama", REACHED), ("Kofi", LOST), ("Esi", "0201234567")] {
            contacts.push(create(tenant, "/contacts", contact(name, phone)).await);
        }
        let rules = json!({"name": LONG_NAME, "rules": {"tags": "vip"}, "isDynamic": true});
        let segment = create(tenant, "/segments", rules).await;
        let (sms, mail) = templates(tenant).await;
        let sent = campaign(tenant, &segment).await;
        send(tenant, &sent).await;
        let draft = campaign(tenant, &segment).await;
        let event = json!({
            "name": "Parcel is ready", "slug": "parcel.ready", "templateId": sms,
            "templates": {"EMAIL": mail}, "fallbackRules": {"channels": ["EMAIL"]},
        });
        let event = create(tenant, "/events", event).await;
        let opt_out = json!({"phone": "0209876543", "reason": "asked for it by telephone"});
        let suppression = create(tenant, "/compliance/suppression", opt_out).await;
        let imported = import(tenant, "/contacts/import", CONTACTS).await;
        let opted_out = import(tenant, "/compliance/suppression/import", SUPPRESSIONS).await;
        let delivered = message(tenant, REACHED, "DELIVERED").await;
        let failed_message = message(tenant, LOST, "FAILED").await;
        let mut items = vec![
            ("/app/messages/", delivered),
            ("/app/contacts/", contacts.remove(0)),
            ("/app/contacts/import/", imported),
            ("/app/suppressions/import/", opted_out),
            ("/app/segments/", segment),
            ("/app/templates/", sms),
            ("/app/campaigns/", sent),
            ("/app/events/", event),
            ("/app/suppressions/", suppression),
            ("/app/webhooks/", endpoint),
        ];
        items.extend(administration::items(tenant).await);
        let scheduled_message = scheduled(tenant).await;
        Self { items, delivery, failed_message, scheduled_message, draft }
    }

    /// Creates the items that platform administrators see. The owner of the organization is one of them.
    pub(crate) async fn add_those_of_the_platform(&mut self, tenant: &Tenant<'_>) {
        self.items.extend(platform::items(tenant).await);
    }

    /// Adds an item that was made by the pages: the beginning of its address, and its identifier.
    pub(crate) fn add(&mut self, home: &'static str, id: String) {
        self.items.push((home, id));
    }

    /// Returns the address of a page with an item in place of its parameter.
    pub(crate) fn address(&self, template: &str) -> String {
        let Some((home, rest)) = template.split_once('{') else { return template.to_owned() };
        for (page, id) in [(AGAIN, &self.failed_message), (STEPS, &self.draft)] {
            if page.contains(&template) {
                return template.replace("{id}", id);
            }
        }
        let item = self.items.iter().find(|(beginning, _)| *beginning == home);
        let (_, id) = item.unwrap_or_else(|| {
            panic!("nothing is made that {template} shows: add it to `Population`")
        });
        let (_, rest) = rest.split_once('}').unwrap();
        let rest = rest.replace("{delivery}", &self.delivery);
        assert!(!rest.contains('{'), "{template} has two parameters: add it to `Population`");
        format!("{home}{id}{rest}")
    }
}

async fn create(tenant: &Tenant<'_>, path: &str, item: Value) -> String {
    let answer = tenant.owner().post(path, item).await;
    answer.data(201)["id"].as_str().unwrap().to_owned()
}

fn contact(name: &str, phone: &str) -> Value {
    json!({
        "firstName": name, "lastName": "Mensah-Wiredu", "phone": phone, "tags": ["vip", "Accra"],
        "email": format!("{}@example.com", name.to_lowercase()), "attributes": {"Town": "Ho"},
    })
}

async fn templates(tenant: &Tenant<'_>) -> (String, String) {
    let sms = json!({
        "name": "Parcel", "channel": "SMS", "body": "Akwaaba {{firstName}}, your parcel is ready.",
    });
    let mail = json!({
        "name": LONG_NAME, "channel": "EMAIL", "subject": "Your parcel is ready",
        "body": "Dear {{firstName}},\n\nyour parcel is ready. Come and fetch it.",
    });
    (create(tenant, "/templates", sms).await, create(tenant, "/templates", mail).await)
}

async fn campaign(tenant: &Tenant<'_>, segment: &str) -> String {
    let campaign = json!({
        "name": LONG_NAME, "channel": "SMS", "segmentId": segment,
        "body": "Hello {{firstName}}, our sale begins on Saturday. Reply STOP to opt out",
    });
    create(tenant, "/campaigns", campaign).await
}

/// Sends a campaign, and waits until each message has its outcome.
async fn send(tenant: &Tenant<'_>, id: &str) {
    let path = format!("/campaigns/{id}");
    let owner = tenant.owner();
    owner.call(Method::POST, &format!("{path}/send"), None).await.data(200);
    until_some("the campaign has arrived, and has failed for one", async || {
        let answer = owner.get(&path).await;
        let campaign = answer.data(200);
        let is_over = campaign["delivered"] == 2 && campaign["failed"] == 1;
        if is_over { Ok(()) } else { Err(campaign.to_string()) }
    })
    .await;
}

/// Imports a file with a row that is refused.
async fn import(tenant: &Tenant<'_>, path: &str, file: &str) -> String {
    let owner = tenant.owner();
    let begun = owner.upload(path, file).await;
    let id = begun.data(201)["id"].as_str().unwrap().to_owned();
    until_some("the import is complete", async || {
        let answer = owner.get(&format!("{path}s/{id}")).await;
        let is_complete = answer.data(200)["status"] == "COMPLETED";
        if is_complete { Ok(()) } else { Err(answer.text) }
    })
    .await;
    id
}

/// Sends a message, and waits until it has that status.
async fn message(tenant: &Tenant<'_>, to: &str, status: &str) -> String {
    let owner = tenant.owner();
    let message = json!({"channel": "SMS", "to": to, "body": "Akwaaba, your parcel is ready."});
    let sent = owner.post("/messages/send", message).await;
    let id = sent.data(201)["id"].clone();
    owner.message_that_is(status, &id).await;
    id.as_str().unwrap().to_owned()
}

async fn scheduled(tenant: &Tenant<'_>) -> String {
    let at = SystemClock.now() + TimeDelta::hours(1);
    let message = json!({
        "channel": "SMS", "to": REACHED, "body": "Akwaaba", "async": true,
        "scheduledAt": at.to_rfc3339(),
    });
    let answer = tenant.owner().post("/messages/send", message).await;
    answer.data(202)["id"].as_str().unwrap().to_owned()
}
