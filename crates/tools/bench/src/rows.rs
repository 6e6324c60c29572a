//! Rows that compare the service with one transaction for each message.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use crate::{
    baseline::Baseline,
    harness::{Database, Harness, Service, WORKERS},
    http::Request,
    load::{Load, Pace},
    report::{Goal, Table, number},
    reports,
    tenant::{BULK, Tenant},
    usage::{self, Processor},
};

const TENANTS: usize = 100;
const CLIENTS: u32 = 64;
/// Number of messages after which the memory is measured again.
const MANY: u64 = 1_000_000;

/// Cost of a message for PostgreSQL alone.
struct Baselines {
    /// Messages per second of one wallet.
    hot: f64,
    /// Messages per second of a hundred wallets.
    spread: f64,
    /// Milliseconds of one transaction without concurrent ones.
    lone: f64,
}

/// Measures all rows.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let database = harness.database("accepting").await?;
    let baselines = baselines(&database, duration).await?;
    accept(&database, duration, &baselines, table).await?;
    harness.drop("accepting").await?;
    let database = harness.database("delivering").await?;
    deliver(&database, duration, &baselines, table).await?;
    let reporting = harness.database("reporting").await?;
    reports::measure(&reporting, duration, baselines.spread, table).await?;
    sync_time(&database, table).await
}

async fn baselines(database: &Database, duration: Duration) -> Result<Baselines, Box<dyn Error>> {
    let baseline = Baseline::prepare(database.clone()).await?;
    Ok(Baselines {
        hot: baseline.run(1, CLIENTS, duration).await?.per_second,
        spread: baseline.run(100, CLIENTS, duration).await?.per_second,
        lone: baseline.run(1, 1, duration).await?.latency,
    })
}

/// Measures a service that only accepts messages.
async fn accept(
    database: &Database,
    duration: Duration,
    baselines: &Baselines,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let service = Service::start(database, 0)?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    table.tell("6 resident, idle", "MB", usage::resident(service.pid())?, Goal::AtMost(40.0));
    let tenants = tenants(&service, TENANTS).await?;
    let (one, all) =
        (vec![tenants[0].send()], tenants.iter().map(Tenant::send).collect::<Vec<_>>());
    let load = |requests: &[Request], connections, pace| Load {
        address: service.address(),
        requests: requests.to_vec(),
        connections,
        pace,
        duration,
    };

    for (requests, named, baseline, goal) in [
        (&one, "one tenant", baselines.hot, Goal::AtLeast(20.0)),
        (&all, "100 tenants", baselines.spread, Goal::AtLeast(2.5)),
    ] {
        for connections in [64, 256] {
            let before = Processor::now(service.pid(), database).await?;
            let measured = load(requests, connections, Pace::Closed).run().await?;
            let after = Processor::now(service.pid(), database).await?;
            let row = format!("1 accepted, {named}, {connections} connections");
            table.compare(&row, "/s", (measured.without_failures()?.rate(), baseline), goal);
            processor(table, (before, after), measured.answered);
        }
    }

    let lone = load(&one, 1, Pace::Closed).run().await?;
    let lone = lone.without_failures()?;
    let figures = (lone.latency(0.5), baselines.lone);
    table.compare("4 lone send, p50", "ms", figures, Goal::AtMost(2.5));
    table.compare("4 lone send, p99", "ms", (lone.latency(0.99), baselines.lone), Goal::None);
    let paced = load(&one, 256, Pace::Open(baselines.hot * 10.0)).run().await?;
    let paced = paced.without_failures()?;
    table.tell("  at ten times the baseline, open loop: p50", "ms", paced.latency(0.5), Goal::None);
    table.tell(
        "  at ten times the baseline, open loop: p99",
        "ms",
        paced.latency(0.99),
        Goal::None,
    );

    let bulk = vec![tenants[0].send_bulk()];
    let before = Processor::now(service.pid(), database).await?;
    let measured = load(&bulk, 64, Pace::Closed).run().await?;
    let after = Processor::now(service.pid(), database).await?;
    let rate = measured.without_failures()?.rate() * number(BULK);
    table.compare("2 bulk of 100, one tenant", "/s", (rate, baselines.hot), Goal::AtLeast(60.0));
    processor(table, (before, after), measured.answered * BULK);
    while database.number("SELECT count(*) FROM delivery_logs").await?.unsigned_abs() < MANY {
        load(&bulk, 64, Pace::Closed).run().await?;
    }
    let resident = usage::resident(service.pid())?;
    table.tell("6 resident, after a million messages", "MB", resident, Goal::None);
    service.stop()
}

/// Measures a service that delivers accepted messages by a simulated provider.
async fn deliver(
    database: &Database,
    duration: Duration,
    baselines: &Baselines,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let service = Service::start(database, WORKERS)?;
    let tenants = tenants(&service, TENANTS).await?;
    for (tenants, named, connections, goal) in [
        (&tenants[..1], "one tenant", 64, Goal::AtLeast(10.0)),
        (&tenants[..1], "one tenant", 256, Goal::AtLeast(10.0)),
        (&tenants[..], "100 tenants", 64, Goal::None),
    ] {
        let (address, pace) = (service.address(), Pace::Closed);
        let requests = tenants.iter().map(Tenant::send).collect();
        let load = Load { address, requests, connections, pace, duration };
        let before = Processor::now(service.pid(), database).await?;
        let (messages, rate) = end_to_end(database, load).await?;
        let after = Processor::now(service.pid(), database).await?;
        let row = format!("3 end to end, {named}, {connections} connections");
        table.compare(&row, "/s", (rate, baselines.hot), goal);
        processor(table, (before, after), messages);
    }
    table.tell("6 resident, under load", "MB", usage::peak(service.pid())?, Goal::AtMost(150.0));
    service.stop()
}

/// Runs a load, waits until every message is final, and returns their number and rate per second.
pub(crate) async fn end_to_end(
    database: &Database,
    load: Load,
) -> Result<(u64, f64), Box<dyn Error>> {
    let began = Instant::now();
    let measured = load.run().await?;
    until_drained(database).await?;
    let elapsed = began.elapsed().as_secs_f64();
    all_ended(database).await?;
    let messages = measured.without_failures()?.answered;
    Ok((messages, number(messages) / elapsed))
}

/// Waits until no job is left.
pub(crate) async fn until_drained(database: &Database) -> Result<(), Box<dyn Error>> {
    const LEFT: &str = "SELECT count(*) FROM (SELECT FROM delivery_jobs LIMIT 1) AS job";
    while database.number(LEFT).await? > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// Fails if a message is not final.
pub(crate) async fn all_ended(database: &Database) -> Result<(), Box<dyn Error>> {
    let open = "SELECT count(*) FROM delivery_logs WHERE status NOT IN ('DELIVERED', 'FAILED')";
    if database.number(open).await? > 0 {
        return Err("messages were left without an end".into());
    }
    Ok(())
}

pub(crate) async fn tenants(
    service: &Service,
    count: usize,
) -> Result<Vec<Tenant>, Box<dyn Error>> {
    let mut tenants = Vec::with_capacity(count);
    for number in 0..count {
        tenants.push(Tenant::found(service.address(), number).await?);
    }
    Ok(tenants)
}

/// Adds the processor time of a message, and returns the sum, in microseconds.
pub(crate) fn processor(
    table: &mut Table,
    (before, after): (Processor, Processor),
    messages: u64,
) -> f64 {
    let messages = number(messages);
    let service = (after.service - before.service) / messages;
    let postgres = (after.postgres - before.postgres) / messages;
    table.tell("  processor, service", "µs/message", service, Goal::None);
    table.tell("  processor, PostgreSQL", "µs/message", postgres, Goal::None);
    let figures = (service + postgres, table.transaction);
    table.compare("  processor, both / a transaction of pgbench", "µs", figures, Goal::None);
    service + postgres
}

/// Adds the time in which the disk made a commit durable, if PostgreSQL reports it.
async fn sync_time(database: &Database, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let query = if database.major_version().await? < 18 {
        "SELECT (1000 * wal_sync_time / nullif(wal_sync, 0))::bigint FROM pg_stat_wal"
    } else {
        "SELECT (1000 * sum(fsync_time) / nullif(sum(fsyncs), 0))::bigint FROM pg_stat_io \
         WHERE object = 'wal'"
    };
    if let Ok(micros) = database.number(query).await {
        table.tell("WAL sync, mean", "ms", number(micros.unsigned_abs()) / 1_000.0, Goal::None);
    }
    Ok(())
}
