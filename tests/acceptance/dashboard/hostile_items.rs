//! Items of an organization with a hostile text in each of their fields, as far as the API takes it.

use acceptance::Tenant;
use reqwest::Method;
use serde_json::{Value, json};

/// Number to which nothing arrives.
const LOST: &str = "0240000000";

/// Items with one text.
pub(crate) struct HostileItems {
    /// Beginnings of addresses of pages, each with the identifier of the item that is found there.
    items: Vec<(&'static str, String)>,
}

impl HostileItems {
    /// Creates one item of each kind with the text in all of its fields. `number` keeps names apart.
    pub(crate) async fn of(tenant: &Tenant<'_>, text: &str, number: usize) -> Self {
        let mut made = Self { items: Vec::new() };
        for (home, path, item) in items(text, number) {
            made.create(tenant, home, path, item).await;
        }
        let row = format!("phone,firstName\n12,\"{}\"\n", text.replace('"', "\"\""));
        let import = tenant.owner().upload("/contacts/import", row).await;
        made.keep("/app/contacts/import/", &import.body);
        made.keep("/app/contacts/imports/", &import.body);
        let changes = json!({"name": text, "industry": text});
        tenant.owner().call(Method::PATCH, "/organizations/current", Some(changes)).await;
        made
    }

    /// Returns the address of a page with an item in place of its parameter; `None` if the API did not take
    /// the text for it.
    pub(crate) fn address(&self, path: &str) -> Option<String> {
        let Some((home, rest)) = path.split_once('{') else { return Some(path.to_owned()) };
        let (_, id) = self.items.iter().find(|(beginning, _)| *beginning == home)?;
        let (_, rest) = rest.split_once('}')?;
        Some(format!("{home}{id}{rest}"))
    }

    /// Returns the number of items.
    pub(crate) fn count(&self) -> usize {
        self.items.len()
    }

    async fn create(&mut self, tenant: &Tenant<'_>, home: &'static str, path: &str, item: Value) {
        let answer = tenant.owner().post(path, item).await;
        assert!(answer.status < 500, "{path}: {}", answer.text);
        self.keep(home, &answer.body);
    }

    fn keep(&mut self, home: &'static str, answer: &Value) {
        if let Some(id) = answer["data"]["id"].as_str() {
            self.items.push((home, id.to_owned()));
        }
    }
}

/// Returns the items, each with the beginning of its page's address and its path in the API.
fn items(text: &str, number: usize) -> Vec<(&'static str, &'static str, Value)> {
    let contact = json!({
        "firstName": text, "lastName": text, "tags": [text], "attributes": {"Note": text},
    });
    let segment = json!({"name": text, "rules": {"Note": text}, "isDynamic": true});
    let template = json!({"name": text, "channel": "EMAIL", "subject": text, "body": text});
    let campaign = json!({"name": text, "channel": "SMS", "body": text});
    let event = json!({"name": text, "slug": format!("hostile-{number}"), "description": text});
    let entry = json!({"phone": format!("024123456{}", number % 10), "reason": text});
    let message = json!({
        "channel": "SMS", "to": LOST, "body": text, "metadata": {"order": text},
    });
    vec![
        ("/app/contacts/", "/contacts", contact),
        ("/app/segments/", "/segments", segment),
        ("/app/templates/", "/templates", template),
        ("/app/campaigns/", "/campaigns", campaign),
        ("/app/events/", "/events", event),
        ("/app/suppressions/", "/compliance/suppression", entry),
        ("/app/messages/", "/messages/send", message),
    ]
}
