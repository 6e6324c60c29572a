//! Row of a claim while a million messages wait for their time.

use std::error::Error;

use crate::{
    harness::Harness,
    organizations::idle_claim_time,
    report::{Goal, Table},
};

/// Measures the row.
pub(crate) async fn measure(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let database = harness.database("scheduled").await?;
    database.execute(SCHEDULE).await?;
    database.execute("VACUUM ANALYZE").await?;
    let claim = idle_claim_time(&database).await?;
    table.tell("5 idle claim, a million scheduled messages", "ms", claim, Goal::AtMost(2.0));
    Ok(())
}

const SCHEDULE: &str = "\
    INSERT INTO scheduled_messages (organization_id, id, due_at, priority, line) \
    SELECT gen_random_uuid(), gen_random_uuid(), now() + interval '1 day', 2, 0 \
    FROM generate_series(1, 1000000)";
