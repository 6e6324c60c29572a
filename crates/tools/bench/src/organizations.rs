//! Rows that compare a hundred organizations with many more, all of which send alike.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgJobs, PgStore};
use app::clock::SystemClock;
use ports::messaging::messages::{ClaimLimits, Jobs};

use crate::{
    harness::{Database, Harness, Service, WORKERS},
    load::{Load, Pace},
    report::{Goal, Table, number},
    rows::{end_to_end, processor},
    tenant::Tenant,
    usage::{self, Processor},
};

const FEW: u64 = 100;
const CONNECTIONS: usize = 64;
/// Seconds in which the totals of each organization are posted once.
const POSTED_IN: f64 = 256.0;
/// Number of timed claims.
const CLAIMS: usize = 51;
/// Number of jobs that a claim asks for.
const CLAIMED: usize = 500;

/// Cost of a message, in microseconds of processor time, and its entries in the ledger if the rate
/// lasts for an hour.
struct Cost {
    message: f64,
    posting: f64,
    ledger_rows: f64,
}

/// Measures all rows.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let few = on(&harness.database("organizations").await?, FEW, duration, table).await?;
    for (organizations, goal) in [(10_000, 1.3), (100_000, 1.6)] {
        let database = harness.database("organizations").await?;
        let many = on(&database, organizations, duration, table).await?;
        let row = format!("7 end to end, {organizations} organizations / {FEW}");
        let figures = (many.message + many.posting, few.message + few.posting);
        table.compare(&row, "µs/message", figures, Goal::AtMost(goal));
        if organizations == 10_000 {
            let rows = many.ledger_rows;
            table.tell("7 ledger rows, 10000 organizations", "/message", rows, Goal::AtMost(0.05));
        } else {
            let idle = idle_claim(&database).await?;
            let row = format!("7 idle claim, {organizations} organizations wait");
            table.tell(&row, "ms", idle, Goal::AtMost(2.0));
        }
    }
    harness.drop("organizations").await
}

/// Lets this number of organizations send in turn, after each has sent once.
async fn on(
    database: &Database,
    organizations: u64,
    duration: Duration,
    table: &mut Table,
) -> Result<Cost, Box<dyn Error>> {
    let tenants = Tenant::load(database, organizations).await?;
    database.execute("VACUUM ANALYZE").await?;
    let service = Service::start(database, WORKERS)?;
    let load = |pace, duration| Load {
        address: service.address(),
        requests: tenants.iter().map(Tenant::send).collect(),
        connections: CONNECTIONS,
        pace,
        duration,
    };
    end_to_end(database, load(Pace::Once, Duration::from_secs(600))).await?;
    let before = Processor::now(service.pid(), database).await?;
    let (messages, rate) = end_to_end(database, load(Pace::Closed, duration)).await?;
    let after = Processor::now(service.pid(), database).await?;
    table.tell(&format!("7 end to end, {organizations} organizations"), "/s", rate, Goal::None);
    let message = processor(table, (before, after), messages);
    service.stop()?;

    let before = usage::postgres(database).await?;
    post(database).await?;
    let posting = (usage::postgres(database).await? - before) / (rate * POSTED_IN);
    table.tell("  posting, each organization once in 256 s", "µs/message", posting, Goal::None);
    let messages_an_hour = rate * 3_600.0;
    Ok(Cost { message, posting, ledger_rows: debits(database).await? / messages_an_hour })
}

/// Returns the number of entries for messages in the ledger, present and pending, of this hour and
/// the last one.
async fn debits(database: &Database) -> Result<f64, Box<dyn Error>> {
    let query = "SELECT (SELECT count(*) FROM ledger_entries WHERE kind = 'MESSAGE_DEBIT') \
                     + (SELECT count(*) FROM ledger_hours WHERE kind = 'MESSAGE_DEBIT')";
    Ok(number(database.number(query).await?.unsigned_abs()))
}

/// Posts the waiting lines of the journal.
async fn post(database: &Database) -> Result<(), Box<dyn Error>> {
    let store = PgStore::connect_background(database.url(), 1)?;
    while store.post_journal().await? > 0 {}
    Ok(())
}

/// Returns the median time of a claim while every organization waits for a report, in milliseconds.
async fn idle_claim(database: &Database) -> Result<f64, Box<dyn Error>> {
    database.execute(WAIT).await?;
    database.execute("VACUUM ANALYZE delivery_jobs").await?;
    idle_claim_time(database).await
}

/// Returns the median time of a claim of which nothing is due, in milliseconds.
pub(crate) async fn idle_claim_time(database: &Database) -> Result<f64, Box<dyn Error>> {
    let store = PgStore::connect_writers(database.url(), 1)?;
    let instance = PgInstance::new(store.clone(), Arc::new(SystemRandom));
    let jobs = PgJobs::start(store, Arc::new(SystemClock), instance, 0);
    let mut times = Vec::with_capacity(CLAIMS);
    for _ in 0..CLAIMS {
        let began = Instant::now();
        let claimed = jobs.claim(&ClaimLimits::any(CLAIMED)).await?;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
        if !claimed.is_empty() {
            return Err("something was due".into());
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[CLAIMS / 2])
}

const WAIT: &str = "\
    INSERT INTO delivery_jobs (id, organization_id, priority, is_follow_up, due_at) \
    SELECT gen_random_uuid(), id, 2, true, now() + interval '1 hour' FROM organizations";
