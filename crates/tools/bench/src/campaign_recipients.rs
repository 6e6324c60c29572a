//! Rows about the recipients of a campaign of a million contacts.

use std::error::Error;

use crate::{
    audience::median_of,
    harness::{Harness, Service, WORKERS},
    http::Connection,
    report::{Goal, Table},
    tenant::Tenant,
};

const RECIPIENTS: u64 = 1_000_000;
/// Campaign of the rows.
const CAMPAIGN: &str = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b";

/// Measures the first part and one in the middle of each list.
pub(crate) async fn measure(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let database = harness.database("campaign_recipients").await?;
    let service = Service::start(&database, WORKERS)?;
    let tenant = Tenant::found(service.address(), 0).await?;
    database.execute(&LOAD.replace("$organization", &tenant.organization)).await?;
    database.execute("VACUUM ANALYZE").await?;
    let middle: String = database.client().query_one(MIDDLE, &[]).await?.get(0);
    let mut connection = Connection::open(service.address()).await?;
    for (row, filter) in [
        ("recipients of a campaign", ""),
        ("those who failed", "&outcome=FAILED"),
        ("those who were skipped", "&outcome=SKIPPED"),
    ] {
        for (place, after) in [("first part", ""), ("middle part", middle.as_str())] {
            let path = format!("/campaigns/{CAMPAIGN}/recipients?limit=100{filter}&after={after}");
            let time = median_of(&mut connection, &tenant.get(&path)).await?;
            let row = format!("9 {row}, {RECIPIENTS}, {place}");
            table.tell(&row, "ms", time, Goal::AtMost(20.0));
        }
    }
    service.stop()?;
    harness.drop("campaign_recipients").await
}

/// Selects the cursor after half of the messages.
const MIDDLE: &str = "SELECT 'm-' || id FROM delivery_logs ORDER BY id OFFSET 500000 LIMIT 1";

/// Inserts a completed campaign: of twenty messages one failed, a fifth of those was skipped.
const LOAD: &str = "\
    INSERT INTO campaigns (organization_id, id, name, channel, body, status, created_by, authors, \
        created_at, updated_at, started_at, completed_at, audience) \
    VALUES ('$organization', '019a5b8e-6c2f-7d10-a4c3-e5f708192a3b', 'Harmattan sale', 'SMS', 'Sale', \
        'COMPLETED', gen_random_uuid(), '{}', now() - interval '1 hour', now(), \
        now() - interval '1 hour', now(), 1000000); \
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, category, \
        priority, body, segments, cost_micros, is_sandbox, is_confidential, provider, error_code, \
        error_message, created_at, sent_at, delivered_at, failed_at, campaign_id, contact_id) \
    SELECT uuid_v7_in(at, '$organization'), '$organization', 'SMS', \
        CASE WHEN number % 20 = 0 THEN 'FAILED' ELSE 'DELIVERED' END, \
        '+23324' || lpad(number::text, 7, '0'), 'GH', 'MARKETING', 4, 'Sale', 1, 35000, false, false, \
        'simulated', CASE WHEN number % 100 = 0 THEN 'RECIPIENT_SUPPRESSED' \
            WHEN number % 20 = 0 THEN 'UNDELIVERED' END, CASE WHEN number % 20 = 0 THEN 'x' END, at, at, \
        CASE WHEN number % 20 > 0 THEN at END, CASE WHEN number % 20 = 0 THEN at END, \
        '019a5b8e-6c2f-7d10-a4c3-e5f708192a3b', uuid_v7_in(at, '$organization') \
    FROM generate_series(1, 1000000) AS number, \
        LATERAL (SELECT now() - interval '1 hour' + number * interval '1 millisecond' AS at) AS moment";
