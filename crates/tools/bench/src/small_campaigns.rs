//! Rows about many organizations whose campaigns begin in the same second.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use crate::{
    harness::{Database, Harness, Service, WORKERS},
    report::{Goal, Table, number},
    tenant::Tenant,
};

const ORGANIZATIONS: u64 = 1_000;
/// Number of contacts of each campaign.
const CONTACTS_OF_EACH: u64 = 100;
/// Longest time of all campaigns together.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Measures the rows, each on a database that was empty when it was last analyzed. `large` is the
/// number of messages of one large campaign that are accepted in a second.
pub(crate) async fn measure(
    harness: &Harness,
    large: f64,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let took = accept(harness).await?;
    let rate = number(ORGANIZATIONS * CONTACTS_OF_EACH) / took.as_secs_f64();
    let row = format!("9 {ORGANIZATIONS} campaigns to {CONTACTS_OF_EACH} contacts / a large one");
    table.compare(&row, "/s", (rate, large), Goal::AtLeast(0.3));
    deliver(harness, table).await
}

/// Returns the time until each contact has a message. None is delivered, as of the large campaign.
async fn accept(harness: &Harness) -> Result<Duration, Box<dyn Error>> {
    let database = harness.database("small_campaigns").await?;
    let service = Service::start(&database, 0)?;
    begin(&database).await?;
    let took = wait_for(&database, NOT_EXPANDED).await?;
    service.stop()?;
    harness.drop("small_campaigns").await?;
    Ok(took)
}

async fn deliver(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let database = harness.database("small_campaigns").await?;
    let service = Service::start(&database, WORKERS)?;
    begin(&database).await?;
    wait_for(&database, LEFT).await?;
    for (what, goal, query) in
        [("the last first message", 10.0, FIRST), ("the last message", 20.0, LAST)]
    {
        let row = format!("9 {ORGANIZATIONS} campaigns to 100 contacts, {what}");
        table.tell(&row, "s", millis(&database, query).await? / 1_000.0, Goal::AtMost(goal));
    }
    service.stop()?;
    harness.drop("small_campaigns").await
}

/// Lets the campaigns of all organizations begin.
async fn begin(database: &Database) -> Result<(), Box<dyn Error>> {
    Tenant::load(database, ORGANIZATIONS).await?;
    database.execute(CONTACTS).await?;
    database.execute(CAMPAIGNS).await
}

/// Waits until a query counts nothing, and returns the time that it took.
async fn wait_for(database: &Database, left: &str) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    while database.number(left).await? > 0 {
        if began.elapsed() > TIMEOUT {
            return Err("the campaigns do not come to their end".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(began.elapsed())
}

async fn millis(database: &Database, query: &str) -> Result<f64, Box<dyn Error>> {
    Ok(number(database.number(query).await?.unsigned_abs()))
}

const CONTACTS: &str = "\
    INSERT INTO contacts (id, organization_id, first_name, phone, country_code, created_at, \
        first_name_folded, search_text) \
    SELECT uuid_v7_in(now() - interval '1 minute', id), id, 'Kofi', \
        '+23324' || lpad(number::text, 7, '0'), 'GH', now(), 'kofi', 'kofi' \
    FROM organizations, generate_series(1, 100) AS number WHERE name LIKE 'Kente %'";

const CAMPAIGNS: &str = "\
    INSERT INTO campaigns (organization_id, id, name, channel, body, status, created_by, authors, \
        created_at, updated_at, content, content_hash, due_at) \
    SELECT id, uuid_v7_in(now(), id), 'Harmattan sale', 'SMS', text.body, 'SENDING', id, '{}', now(), \
        now(), jsonb_build_object('category', 'MARKETING', 'body', text.body), sha256('B'), now() \
    FROM organizations, (SELECT '{{firstName}}, we open! STOP to end' AS body) AS text \
    WHERE name LIKE 'Kente %'";

const NOT_EXPANDED: &str = "SELECT count(*) FROM campaigns WHERE expanded_at IS NULL";

const LEFT: &str = "SELECT count(*) FROM campaigns WHERE status <> 'COMPLETED'";

/// Selects the milliseconds after which the last organization had its first message handed over.
const FIRST: &str = "\
    SELECT (extract(epoch FROM max(took)) * 1000)::bigint FROM ( \
        SELECT min(log.sent_at) - min(campaign.created_at) AS took \
        FROM delivery_logs log JOIN campaigns campaign ON campaign.id = log.campaign_id \
        GROUP BY campaign.id) AS first";

/// Selects the milliseconds after which the last message of all was handed over.
const LAST: &str = "\
    SELECT (extract(epoch FROM max(log.sent_at) - min(campaign.created_at)) * 1000)::bigint \
    FROM delivery_logs log JOIN campaigns campaign ON campaign.id = log.campaign_id";
