//! Rows of the list of refused calls, whose cost does not depend on their number.

use std::error::Error;

use crate::{
    audience::median_of,
    harness::{Database, Service},
    http::Connection,
    report::{Goal, Table},
    tenant::Tenant,
};

/// Most calls: twice what an organization keeps in seven days.
const MOST: u64 = 336_000;
const GOAL: Goal = Goal::AtMost(1.25);

/// Rows and the paths that they read.
const READS: [(&str, &str); 3] = [
    ("5 /requests, first page", "/requests?limit=50"),
    ("5 /requests, one code", "/requests?limit=50&code=INSUFFICIENT_BALANCE"),
    ("5 /requests, one request", "/requests?limit=50&id=request-2"),
];

/// Loads that many refused calls of the last six days, every second one of the organization, and
/// returns the medians of the reads, in milliseconds.
pub(crate) async fn read(
    database: &Database,
    service: &Service,
    tenant: &Tenant,
    calls: u64,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let load = LOAD
        .replace("$organization", &tenant.organization)
        .replace("$calls", &calls.min(MOST).to_string());
    database.execute(&load).await?;
    database.execute("VACUUM ANALYZE refused_calls").await?;
    let mut connection = Connection::open(service.address()).await?;
    let mut medians = Vec::with_capacity(READS.len());
    for (_, path) in READS {
        medians.push(median_of(&mut connection, &tenant.get(path)).await?);
    }
    Ok(medians)
}

/// Adds the rows that compare reads of many calls and of few.
pub(crate) fn compare(table: &mut Table, many: Vec<f64>, few: Vec<f64>) {
    for (((row, _), many), few) in READS.iter().zip(many).zip(few) {
        table.compare(row, "ms", (many, few), GOAL);
    }
}

const LOAD: &str = "\
    INSERT INTO refused_calls (organization_id, call_id, request_id, method, path, status, code, \
        message, address, is_sampled, at) \
    SELECT CASE number % 2 WHEN 0 THEN '$organization'::uuid \
            ELSE ('00000000-0000-7000-8000-' || lpad((number % 1000)::text, 12, '0'))::uuid END, \
        uuid_v7(at), 'request-' || number, 'POST', '/messages/send', \
        CASE number % 50 WHEN 0 THEN 402 ELSE 400 END, \
        CASE number % 50 WHEN 0 THEN 'INSUFFICIENT_BALANCE' ELSE 'VALIDATION_ERROR' END, \
        'the request is invalid', '192.0.2.1', false, at \
    FROM (SELECT number, now() - interval '6 days' * (number / $calls::float) AS at \
        FROM generate_series(1, $calls) AS number) AS calls";
