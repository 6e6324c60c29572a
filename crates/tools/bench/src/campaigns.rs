//! Row about campaigns: the rate at which messages of one are accepted, beside bulk requests.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    harness::{Database, Harness, Service},
    http::Connection,
    load::{Load, Pace},
    report::{Goal, Table, number},
    rows::processor,
    tenant::{BULK, Tenant, call},
    usage::Processor,
};

/// Number of contacts of the campaign.
const CONTACTS: u64 = 100_000;
/// Number of campaigns, which alternate with bulk requests.
const TURNS: u32 = 3;
/// Longest time until its messages are accepted.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Measures the row, and returns the number of messages of the campaign that are accepted in a second.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<f64, Box<dyn Error>> {
    let database = harness.database("campaigns").await?;
    // No workers: messages are not delivered, as for bulk requests.
    let service = Service::start(&database, 0)?;
    let tenant = Tenant::found(service.address(), 0).await?;
    database.execute(&LOAD.replace("$organization", &tenant.organization)).await?;
    database.execute("VACUUM ANALYZE contacts").await?;
    let (mut campaigns, mut bulk) = (Duration::ZERO, 0.0);
    let nothing = Processor { service: 0.0, postgres: 0.0 };
    let mut used = nothing;
    for _ in 0..TURNS {
        let load = Load {
            address: service.address(),
            requests: vec![tenant.send_bulk()],
            connections: 64,
            pace: Pace::Closed,
            duration: duration / TURNS,
        };
        bulk += load.run().await?.without_failures()?.rate() * number(BULK) / f64::from(TURNS);
        let before = Processor::now(service.pid(), &database).await?;
        campaigns += send(&database, &service, &tenant).await?;
        let after = Processor::now(service.pid(), &database).await?;
        used.service += after.service - before.service;
        used.postgres += after.postgres - before.postgres;
    }
    let messages = CONTACTS * u64::from(TURNS);
    let rates = (number(messages) / campaigns.as_secs_f64(), bulk);
    let row = format!("9 campaign to {CONTACTS} contacts / bulk of 100");
    table.compare(&row, "/s", rates, Goal::AtLeast(0.5));
    processor(table, (nothing, used), messages);
    service.stop()?;
    harness.drop("campaigns").await?;
    Ok(rates.0)
}

/// Sends a campaign to all contacts, and returns the time until each had a message.
async fn send(
    database: &Database,
    service: &Service,
    tenant: &Tenant,
) -> Result<Duration, Box<dyn Error>> {
    let mut connection = Connection::open(service.address()).await?;
    let draft = json!({"name": "Harmattan sale", "channel": "SMS", "body": TEXT});
    let campaign = call(&mut connection, &tenant.post("/campaigns", &draft)).await?;
    let path = format!("/campaigns/{}/send", campaign["id"].as_str().unwrap_or_default());
    let began = Instant::now();
    call(&mut connection, &tenant.post(&path, &json!({}))).await?;
    while database.number(LEFT).await? > 0 {
        if began.elapsed() > TIMEOUT {
            return Err("the campaign does not come to its last contact".into());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(began.elapsed())
}

/// Text as long as a message of a bulk request.
const TEXT: &str = "{{firstName}}, we open! STOP to end";

const LEFT: &str = "SELECT count(*) FROM campaigns WHERE expanded_at IS NULL";

/// Inserts contacts as an import does.
const LOAD: &str = "\
    INSERT INTO contacts (id, organization_id, first_name, phone, country_code, tags, created_at, \
        first_name_folded, tags_folded, search_text) \
    SELECT uuid_v7_in(now() - interval '1 minute', '$organization'), '$organization', 'Kofi', \
        '+23324' || lpad(number::text, 7, '0'), 'GH', ARRAY['VIP'], now(), 'kofi', ARRAY['vip'], 'kofi' \
    FROM generate_series(1, 100000) AS number ORDER BY 1";
