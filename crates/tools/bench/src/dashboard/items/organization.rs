//! Items by which an organization runs itself.

use std::error::Error;

use serde_json::json;

use super::{Owner, text};
use crate::{harness::Database, tenant::call};

impl Owner<'_> {
    /// Requests a sender name, invites a person, and returns these and what is recorded: a payment, an
    /// invoice, a member, a key and a webhook.
    pub(super) async fn make_records(
        &mut self,
        database: &Database,
    ) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
        let invitation = json!({"email": "akua@example.com", "role": "VIEWER"});
        let invitation = self.tenant.post("/organizations/invitations", &invitation);
        call(self.connection, &invitation).await?;
        let sender = json!({"name": "Kente Shop", "channel": "SMS"});
        let mut items =
            vec![("/app/settings/sender-names/", self.create("/sender-names", &sender).await?)];
        for (place, query) in RECORDED {
            let query = query.replace("$organization", &self.tenant.organization);
            items.push((place, text(database, &query).await?));
        }
        Ok(items)
    }
}

/// Beginnings of addresses, each with the query of an item that is found there.
const RECORDED: [(&str, &str); 6] = [
    (
        "/app/billing/top-ups/",
        "SELECT reference FROM top_ups WHERE organization_id = '$organization' ORDER BY id DESC LIMIT 1",
    ),
    (
        "/app/billing/invoices/",
        "SELECT id::text FROM invoices WHERE organization_id = '$organization' ORDER BY id DESC LIMIT 1",
    ),
    (
        "/app/team/members/",
        "SELECT user_id::text FROM members \
         WHERE organization_id = '$organization' AND role = 'VIEWER' LIMIT 1",
    ),
    (
        "/app/api-keys/",
        "SELECT id::text FROM api_keys WHERE organization_id = '$organization' AND name = 'live'",
    ),
    (
        "/app/webhooks/",
        "SELECT id::text FROM webhook_endpoints WHERE organization_id = '$organization'",
    ),
    ("/app/providers/", "SELECT id::text FROM providers WHERE is_active ORDER BY name LIMIT 1"),
];
