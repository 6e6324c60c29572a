//! Recorded deliveries, for tests of their lists.

use acceptance::{Tenant, World};
use serde_json::Value;

/// Records a delivery of an event that happened just now, with its outcome.
pub(crate) async fn record(
    world: &World,
    tenant: &Tenant<'_>,
    endpoint: &Value,
    event: &str,
    set: &str,
) {
    let (organization, endpoint) = (&tenant.id, endpoint["id"].as_str().unwrap());
    world
        .sql(&format!(
            "WITH told AS (INSERT INTO outbound_events \
                (organization_id, id, event, subject_id, data, created_at) \
             VALUES ('{organization}', uuid_v7_in(clock_timestamp(), '{organization}'), '{event}', \
                uuid_v7_in(now(), '{organization}'), '{{\"name\":\"Sale\"}}', now()) RETURNING id) \
             INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, due_at) \
             SELECT '{organization}', '{endpoint}', id, 'infinity' FROM told; \
             UPDATE webhook_deliveries SET {set} \
             WHERE organization_id = '{organization}' AND due_at = 'infinity'"
        ))
        .await;
}

pub(crate) const FAILED: &str = "status = 'FAILED', due_at = NULL, attempts = 8, attempted_at = now(), \
     status_code = 503, took_millis = 12";
