//! Rows about figures: their cost with ten thousand messages and with ten million.
//!
//! Figures are read from counters, whose number per day does not depend on the number of messages,
//! and from the newest messages. So the counters here are those of that many messages in thirty
//! days, and the log contains only the newest 200,000 lines: to load more takes minutes. `--growth`
//! loads all.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use crate::{
    harness::{Database, Harness, Service},
    http::{Connection, Request},
    report::{Goal, Table},
    rows::tenants,
    tenant::Tenant,
};

const FEW: u64 = 10_000;
const MANY: u64 = 10_000_000;
/// Most lines of the log.
const LOGGED: u64 = 200_000;
const GOAL: Goal = Goal::AtMost(1.25);
/// Number of times that each request is timed.
const REQUESTS: usize = 301;

/// Rows and the paths that they read.
pub(crate) const READS: [(&str, &str); 5] = [
    ("9 /analytics/overview", "/analytics/overview"),
    ("9 /analytics/costs", "/analytics/costs?months=24"),
    ("9 /analytics/failures", "/analytics/failures"),
    ("9 /billing/usage", "/billing/usage"),
    ("9 /analytics/recommendations, made anew", "/analytics/recommendations"),
];

/// Measures all rows.
pub(crate) async fn measure(harness: &Harness, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let few = on(harness, FEW).await?;
    let many = on(harness, MANY).await?;
    compare(table, many, few);
    Ok(())
}

/// Adds the rows that compare reads with many messages and with few.
pub(crate) fn compare(table: &mut Table, many: Vec<f64>, few: Vec<f64>) {
    for (((row, _), many), few) in READS.iter().zip(many).zip(few) {
        table.compare(row, "ms", (many, few), GOAL);
    }
}

async fn on(harness: &Harness, messages: u64) -> Result<Vec<f64>, Box<dyn Error>> {
    let database = harness.database("analytics").await?;
    let service = Service::start(&database, 0)?;
    let tenant = tenants(&service, 1).await?.remove(0);
    let load = |statement: &str| {
        statement
            .replace("$organization", &tenant.organization)
            .replace("$messages", &messages.to_string())
            .replace("$logged", &messages.min(LOGGED).to_string())
    };
    database.execute(&load(LOAD_LOG)).await?;
    database.execute(&load(LOAD_COUNTERS)).await?;
    database.execute("VACUUM ANALYZE").await?;
    // Loaded data is written now, and not while figures are read.
    database.execute("CHECKPOINT").await?;
    let medians = read(&database, &service, &tenant).await?;
    service.stop()?;
    harness.drop("analytics").await?;
    Ok(medians)
}

/// Returns the median times of [`READS`], in milliseconds.
pub(crate) async fn read(
    database: &Database,
    service: &Service,
    tenant: &Tenant,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut connection = Connection::open(service.address()).await?;
    let mut medians = Vec::with_capacity(READS.len());
    for (_, path) in READS {
        let request = tenant.get(path);
        let mut times = Vec::with_capacity(REQUESTS);
        for _ in 0..REQUESTS {
            // Only recommendations are stored: they are made due, so that each figure is read anew.
            database.execute("UPDATE recommendations SET due_at = now()").await?;
            times.push(time(&mut connection, &request).await?);
        }
        times.sort();
        medians.push(times[REQUESTS / 2].as_secs_f64() * 1_000.0);
    }
    Ok(medians)
}

async fn time(connection: &mut Connection, request: &Request) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    let status = connection.call(request).await?.status;
    let elapsed = began.elapsed();
    if status == 200 { Ok(elapsed) } else { Err(format!("answered {status}").into()) }
}

/// Inserts the newest lines of a log of thirty days: nine of ten by SMS, the others by email, one
/// in twenty-five failed.
const LOAD_LOG: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, category, \
        priority, body, segments, cost_micros, is_sandbox, is_confidential, provider, error_code, \
        error_message, created_at, sent_at, delivered_at, failed_at) \
    SELECT uuid_v7_in(at, '$organization'), '$organization', \
        CASE WHEN number % 10 = 0 THEN 'EMAIL' ELSE 'SMS' END, \
        CASE WHEN number % 25 = 0 THEN 'FAILED' ELSE 'DELIVERED' END, \
        '+23324' || lpad((number % 5000)::text, 7, '0'), 'GH', 'TRANSACTIONAL', 2, \
        repeat('Your parcel has arrived at Makola. ', 5), 2, 70000, false, false, 'simulated', \
        CASE WHEN number % 25 = 0 THEN 'UNDELIVERED' END, CASE WHEN number % 25 = 0 THEN 'x' END, at, at, \
        CASE WHEN number % 25 > 0 THEN at END, CASE WHEN number % 25 = 0 THEN at END \
    FROM generate_series($logged - 1, 0, -1) AS number, \
        LATERAL (SELECT now() - number * (interval '30 days' / $messages) AS at) AS moment";

/// Inserts the counters of that many messages, evenly over thirty days, and as many in each month
/// of two years.
const LOAD_COUNTERS: &str = "\
    INSERT INTO delivery_log_counters (organization_id, span, starts_at, channel, status, is_sandbox, \
        messages, segments, cost_micros) \
    SELECT '$organization', 'DAY', day, channel, status, false, \
        $messages / 30 * share / 250, 2 * ($messages / 30 * share / 250), \
        70000::bigint * ($messages / 30 * share / 250) \
    FROM generate_series(date_trunc('day', now(), 'UTC') - interval '24 months', \
            date_trunc('day', now(), 'UTC'), '1 day') AS day, \
        (VALUES ('SMS', 'DELIVERED', 220), ('SMS', 'FAILED', 5), ('EMAIL', 'DELIVERED', 20), \
            ('EMAIL', 'FAILED', 5)) AS counted (channel, status, share)";
