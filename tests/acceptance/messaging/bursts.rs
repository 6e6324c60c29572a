//! Bursts of reports that arrive before their messages are known.

use std::time::{Duration, Instant};

use acceptance::{World, until};

const REPORTS: i64 = 6_000;
/// Time limit for all reports: half of what they would take at two hundred a second.
const LIMIT: Duration = Duration::from_secs(15);

/// Returns statements that insert sent messages of one organization, and a stored delivery report on each.
fn fill(organization: &str) -> String {
    format!(
        "CREATE TEMPORARY TABLE sent AS \
         SELECT gen_random_uuid() AS id, number, 'ref-' || number AS reference \
         FROM generate_series(1, {REPORTS}) AS number; \
         INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
            category, priority, body, segments, cost_micros, is_sandbox, is_confidential, provider, \
            created_at, sent_at) \
         SELECT id, '{organization}', 'SMS', 'SENT', '+233241234567', 'GH', 'MARKETING', 4, 'B', 1, \
            0, false, false, 'only', now(), now() FROM sent; \
         INSERT INTO provider_references (organization_id, provider, reference, message_id) \
         SELECT '{organization}', 'only', reference, id FROM sent; \
         INSERT INTO unmatched_reports (id, provider, reference, event, received_at, message_id) \
         SELECT (left(uuid_floor(now())::text, 24) || lpad(to_hex(number), 12, '0'))::uuid, 'only', \
            reference, jsonb_build_object('kind', 'CONFIRMED', 'at', now()), now(), id FROM sent"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_early_reports_are_applied_within_seconds() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    world.sql(&fill(&tenant.id)).await;

    let began = Instant::now();
    let kept = "SELECT count(*) FROM unmatched_reports";
    until("all reports are applied", async || world.value(kept).await == 0).await;
    assert!(began.elapsed() < LIMIT, "it took {:?}", began.elapsed());

    let delivered = "SELECT count(*) FROM delivery_logs WHERE status = 'DELIVERED'";
    assert_eq!(world.value(delivered).await, REPORTS);
}
