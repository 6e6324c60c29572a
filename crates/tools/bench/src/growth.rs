//! Rows that compare a log of ten thousand lines with one of many more.

use std::{error::Error, fmt::Write, pin::pin, time::Duration};

use bytes::Bytes;
use chrono::{DateTime, SecondsFormat};
use futures_util::SinkExt;

use crate::{
    analytics,
    harness::{Database, Harness, Service, WORKERS},
    http::Request,
    load::{Load, Pace},
    refused_calls,
    report::{Goal, Table},
    rows::{end_to_end, tenants},
    scheduled_messages,
    tenant::Tenant,
};

const FEW: u64 = 10_000;
const GOAL: Goal = Goal::AtMost(1.25);
/// Number of lines sent to the server at once.
const CHUNK: u64 = 10_000;
const LIMIT: u64 = 50;
/// Recipient of the lines whose number is divisible by [`RARE`].
const RARE_RECIPIENT: &str = "kofi@example.com";
const RARE: u64 = 10_000;

/// Measurements on one log.
struct Figures {
    accepted: f64,
    delivered: f64,
    /// Medians of each of [`READS`], in milliseconds.
    reads: Vec<f64>,
    /// Medians of each of [`analytics::READS`], in milliseconds.
    analytics: Vec<f64>,
    /// Medians of the reads of refused calls, in milliseconds.
    refused_calls: Vec<f64>,
}

const READS: [&str; 7] = [
    "5 /delivery-logs, first page",
    "5 /delivery-logs, one channel",
    "5 /delivery-logs, failures",
    "5 /delivery-logs, a page in the middle",
    "5 /delivery-logs, one recipient",
    "5 /delivery-logs, one recipient with few messages",
    "5 /messages/{id}",
];

/// Measures all rows, with [`FEW`] and with `many` lines.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    many: u64,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let small = on(&harness.database("small").await?, FEW, duration).await?;
    let large = on(&harness.database("large").await?, many, duration).await?;
    // A smaller rate is worse, so its ratio is inverted.
    let times = |rate: f64| 1_000_000.0 / rate;
    let figures = (times(large.accepted), times(small.accepted));
    table.compare("5 accepted, one tenant, 64 connections", "µs", figures, GOAL);
    let figures = (times(large.delivered), times(small.delivered));
    table.compare("5 end to end, one tenant, 64 connections", "µs", figures, GOAL);
    for ((row, large), small) in READS.into_iter().zip(large.reads).zip(small.reads) {
        table.compare(row, "ms", (large, small), GOAL);
    }
    analytics::compare(table, large.analytics, small.analytics);
    refused_calls::compare(table, large.refused_calls, small.refused_calls);
    scheduled_messages::measure(harness, table).await
}

async fn on(
    database: &Database,
    lines: u64,
    duration: Duration,
) -> Result<Figures, Box<dyn Error>> {
    let service = Service::start(database, 0)?;
    let tenant = tenants(&service, 1).await?.remove(0);
    fill(database, &tenant.organization, lines).await?;
    let reads = read(database, &service, &tenant, lines).await?;
    let analytics = analytics::read(database, &service, &tenant).await?;
    let refused_calls = refused_calls::read(database, &service, &tenant, lines).await?;
    let (address, pace) = (service.address(), Pace::Closed);
    let requests = vec![tenant.send()];
    let accepted = Load { address, requests, connections: 64, pace, duration }.run().await?;
    let accepted = accepted.without_failures()?.rate();
    service.stop()?;

    database.execute("TRUNCATE delivery_jobs").await?;
    let open = "UPDATE delivery_logs SET status = 'DELIVERED', sent_at = created_at, \
                delivered_at = created_at WHERE status = 'QUEUED'";
    database.execute(open).await?;
    let service = Service::start(database, WORKERS)?;
    let (address, pace, requests) = (service.address(), Pace::Closed, vec![tenant.send()]);
    let load = Load { address, requests, connections: 64, pace, duration };
    let (_, delivered) = end_to_end(database, load).await?;
    service.stop()?;
    Ok(Figures { accepted, delivered, reads, analytics, refused_calls })
}

async fn read(
    database: &Database,
    service: &Service,
    tenant: &Tenant,
    lines: u64,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let middle = lines / 2 / 2 / LIMIT;
    let pages = [
        format!("/delivery-logs?limit={LIMIT}"),
        format!("/delivery-logs?limit={LIMIT}&channel=EMAIL"),
        format!("/delivery-logs?limit={LIMIT}&status=FAILED"),
        format!("/delivery-logs?limit={LIMIT}&page={middle}"),
        format!("/delivery-logs?limit={LIMIT}&recipient=0241234567"),
        format!("/delivery-logs?limit={LIMIT}&recipient={RARE_RECIPIENT}"),
    ];
    let mut reads: Vec<Vec<Request>> = pages.iter().map(|path| vec![tenant.get(path)]).collect();
    reads.push(some_messages(database, tenant).await?);
    let mut medians = Vec::with_capacity(reads.len());
    for requests in reads {
        let (address, pace) = (service.address(), Pace::Closed);
        let duration = Duration::from_secs(3);
        let load = Load { address, requests, connections: 1, pace, duration }.run().await?;
        medians.push(load.without_failures()?.latency(0.5));
    }
    Ok(medians)
}

/// Returns requests for messages from all over the log.
async fn some_messages(
    database: &Database,
    tenant: &Tenant,
) -> Result<Vec<Request>, Box<dyn Error>> {
    let organization = &tenant.organization;
    let query = format!(
        "SELECT id::text FROM delivery_logs TABLESAMPLE BERNOULLI \
         (least(100, 100 * 2000.0 / (SELECT count(*) FROM delivery_logs))) \
         WHERE organization_id = '{organization}' ORDER BY random() LIMIT 1000"
    );
    let rows = database.client().query(query.as_str(), &[]).await?;
    let path = |row: &tokio_postgres::Row| format!("/messages/{}", row.get::<_, String>(0));
    Ok(rows.iter().map(|row| tenant.get(&path(row))).collect())
}

/// Loads lines of this month into the log, every second one of the organization: nine of ten by SMS,
/// the others by email, one in twenty-five failed.
async fn fill(database: &Database, organization: &str, lines: u64) -> Result<(), Box<dyn Error>> {
    let since = "SELECT (extract(epoch FROM date_trunc('month', now())) * 1000)::bigint";
    let since = database.number(since).await?.unsigned_abs();
    let now = "SELECT (extract(epoch FROM now()) * 1000)::bigint";
    let now = database.number(now).await?.unsigned_abs();
    let mut sink = pin!(database.client().copy_in::<_, Bytes>(COPY).await?);
    for first in (0..lines).step_by(usize::try_from(CHUNK)?) {
        let mut text = String::new();
        for number in first..(first + CHUNK).min(lines) {
            let millis = since + (now - since) * number / lines;
            line(&mut text, number, millis, organization)?;
        }
        sink.send(Bytes::from(text)).await?;
    }
    sink.close().await?;
    database.execute(COUNT).await?;
    database.execute("VACUUM ANALYZE").await
}

fn line(text: &mut String, number: u64, millis: u64, organization: &str) -> std::fmt::Result {
    let id = format!("{millis:012x}7{:03x}8{number:015x}", number & 0xfff);
    let organization = match number % 2 {
        0 => organization.to_owned(),
        _ => format!("00000000-0000-7000-8000-{:012}", number % 1_000),
    };
    let (channel, recipient) = match number % 20 {
        0 if number.is_multiple_of(RARE) => ("EMAIL", RARE_RECIPIENT),
        0 | 7 => ("EMAIL", "ama@example.com"),
        _ => ("SMS", "+233241234567"),
    };
    let at =
        i64::try_from(millis).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    let at = at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let none = "\\N".to_owned();
    let (status, error, delivered, failed) = match number % 50 {
        0 | 11 => ("FAILED", "UNDELIVERED\tnot delivered", none, at.clone()),
        _ => ("DELIVERED", "\\N\t\\N", at.clone(), none),
    };
    writeln!(
        text,
        "{id}\t{organization}\t{channel}\t{status}\t{recipient}\tGH\tTRANSACTIONAL\t2\t\
         Your parcel has arrived at Makola.\t1\t35000\tf\tf\tsimulated\t\
         [{{\"provider\":\"simulated\",\"startedAt\":\"{at}\"}}]\t{error}\t{at}\t{at}\t\
         {delivered}\t{failed}",
    )
}

const COPY: &str = "\
    COPY delivery_logs (id, organization_id, channel, status, recipient, country_code, category, priority, \
        body, segments, cost_micros, is_sandbox, is_confidential, provider, attempts, error_code, \
        error_message, created_at, sent_at, delivered_at, failed_at) FROM STDIN";

const COUNT: &str = "\
    INSERT INTO delivery_log_counters (organization_id, span, starts_at, channel, status, is_sandbox, \
        messages, segments, cost_micros) \
    SELECT organization_id, span, date_trunc(span, created_at, 'UTC'), channel, status, false, \
        count(*), sum(segments), sum(cost_micros) \
    FROM delivery_logs, (VALUES ('HOUR'), ('DAY')) AS spans (span) GROUP BY 1, 2, 3, 4, 5; \
    INSERT INTO delivery_log_slots (organization_id, starts_at, channel, messages) \
    SELECT organization_id, date_trunc('minute', created_at, 'UTC'), channel, count(*) \
    FROM delivery_logs GROUP BY 1, 2, 3";
