//! Rows that compare the service with one transaction for each message, and with the bare program of
//! the [ceiling](crate::ceiling).

mod server;

use std::{
    error::Error,
    time::{Duration, Instant},
};

use self::server::{ACCEPTED, Accepted, DELIVERED, Figures, Server};
use crate::{
    baseline::Baseline,
    harness::{Database, Harness, Service, WORKERS},
    load::{Load, Pace},
    report::{Goal, Table, number},
    reports,
    tenant::Tenant,
    usage::{self, Cost, Processor},
};

const TENANTS: usize = 100;
const CLIENTS: u32 = 64;
/// Number of messages after which the memory is measured again.
const MANY: u64 = 1_000_000;
/// Longest time until everything is delivered.
const LONGEST_DELIVERY: Duration = Duration::from_secs(1_800);

/// Cost of a message for PostgreSQL alone.
struct Baselines {
    /// Messages per second of one wallet.
    hot: f64,
    /// Messages per second of a hundred wallets.
    spread: f64,
    /// Milliseconds of one transaction without concurrent ones.
    lone: f64,
}

/// Measures all rows. The bare program comes shortly before the service, on the same machine.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let baselines = baselines(harness, duration).await?;
    let ceiling = bare_accepted(harness, duration).await?;
    accept(harness, duration, &baselines, &ceiling, table).await?;
    let ceiling = bare_delivered(harness, duration).await?;
    deliver(harness, duration, &baselines, &ceiling, table).await?;
    let reporting = harness.database("reporting").await?;
    reports::measure(&reporting, duration, baselines.spread, table).await?;
    sync_time(&reporting, table).await
}

/// Measures the bare program alone.
pub(crate) async fn measure_ceiling(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let server = Server::start_bare(harness, TENANTS, false).await?;
    let accepted = server.accepted(duration).await?;
    for (mix, figures) in ACCEPTED.iter().zip(&accepted.mixes) {
        show(table, &mix.row("1 accepted"), figures);
    }
    let with_keys = server.tenants.iter().take(1).map(Tenant::send_with_key).collect();
    let with_keys = server.accept(with_keys, 64, 1, duration).await?;
    show(table, "1 accepted, one tenant, 64 connections, with idempotency keys", &with_keys);
    table.tell("4 lone send, p50", "ms", accepted.lone[0], Goal::None);
    table.tell("4 lone send, p99", "ms", accepted.lone[1], Goal::None);
    show(table, "2 bulk of 100, one tenant", &accepted.bulk);
    server.stop_bare(harness).await?;
    for (mix, figures) in DELIVERED.iter().zip(&bare_delivered(harness, duration).await?) {
        show(table, &mix.row("3 end to end"), figures);
    }
    Ok(())
}

fn show(table: &mut Table, row: &str, figures: &Figures) {
    table.tell(row, "/s", figures.rate, Goal::None);
    costs(table, figures.cost, None);
}

async fn bare_accepted(harness: &Harness, duration: Duration) -> Result<Accepted, Box<dyn Error>> {
    let server = Server::start_bare(harness, TENANTS, false).await?;
    let accepted = server.accepted(duration).await?;
    server.stop_bare(harness).await?;
    Ok(accepted)
}

async fn bare_delivered(
    harness: &Harness,
    duration: Duration,
) -> Result<Vec<Figures>, Box<dyn Error>> {
    let server = Server::start_bare(harness, TENANTS, true).await?;
    let delivered = server.delivered(duration).await?;
    server.stop_bare(harness).await?;
    Ok(delivered)
}

async fn baselines(harness: &Harness, duration: Duration) -> Result<Baselines, Box<dyn Error>> {
    let baseline = Baseline::prepare(harness.database("baseline").await?).await?;
    let baselines = Baselines {
        hot: baseline.run(1, CLIENTS, duration).await?.per_second,
        spread: baseline.run(100, CLIENTS, duration).await?.per_second,
        lone: baseline.run(1, 1, duration).await?.latency,
    };
    harness.drop("baseline").await?;
    Ok(baselines)
}

/// Measures a service that only accepts messages.
async fn accept(
    harness: &Harness,
    duration: Duration,
    baselines: &Baselines,
    ceiling: &Accepted,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let database = harness.database("accepting").await?;
    let service = Service::start(&database, 0)?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    table.tell("6 resident, idle", "MB", usage::resident(service.pid())?, Goal::AtMost(40.0));
    let tenants = tenants(&service, TENANTS).await?;
    let server = Server { service, database, tenants };
    let accepted = server.accepted(duration).await?;
    let paced = Pace::Open(baselines.hot * 10.0);
    let paced = server.load(server.sends(1), 256, paced, duration).run().await?;
    let paced = paced.without_failures()?;

    for ((mix, figures), ceiling) in ACCEPTED.iter().zip(&accepted.mixes).zip(&ceiling.mixes) {
        let (baseline, goal) = match mix.tenants {
            1 => (baselines.hot, Goal::AtLeast(20.0)),
            _ => (baselines.spread, Goal::AtLeast(2.5)),
        };
        beside(table, &mix.row("1 accepted"), (figures, baseline, ceiling), goal);
    }
    for (row, place, goal) in
        [("4 lone send, p50", 0, Goal::AtMost(2.5)), ("4 lone send, p99", 1, Goal::None)]
    {
        table.compare(row, "ms", (accepted.lone[place], baselines.lone), goal);
        table.beside_ceiling("ms", (accepted.lone[place], ceiling.lone[place]));
    }
    for (quantile, named) in [(0.5, "p50"), (0.99, "p99")] {
        let row = format!("  at ten times the baseline, open loop: {named}");
        table.tell(&row, "ms", paced.latency(quantile), Goal::None);
    }
    let figures = (&accepted.bulk, baselines.hot, &ceiling.bulk);
    beside(table, "2 bulk of 100, one tenant", figures, Goal::AtLeast(60.0));
    resident_after_many(&server, duration, table).await?;
    server.service.stop()?;
    harness.drop("accepting").await
}

/// Sends until there are [`MANY`] messages, and adds the memory of the service.
async fn resident_after_many(
    server: &Server,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    const MESSAGES: &str = "SELECT count(*) FROM delivery_logs";
    while server.database.number(MESSAGES).await?.unsigned_abs() < MANY {
        server.load(server.bulk(), 64, Pace::Closed, duration).run().await?;
    }
    let resident = usage::resident(server.service.pid())?;
    table.tell("6 resident, after a million messages", "MB", resident, Goal::None);
    Ok(())
}

/// Measures a service that delivers accepted messages by a simulated provider.
async fn deliver(
    harness: &Harness,
    duration: Duration,
    baselines: &Baselines,
    ceiling: &[Figures],
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let database = harness.database("delivering").await?;
    let service = Service::start(&database, WORKERS)?;
    let tenants = tenants(&service, TENANTS).await?;
    let server = Server { service, database, tenants };
    let delivered = server.delivered(duration).await?;
    for ((mix, figures), ceiling) in DELIVERED.iter().zip(&delivered).zip(ceiling) {
        let goal = if mix.tenants == 1 { Goal::AtLeast(10.0) } else { Goal::None };
        beside(table, &mix.row("3 end to end"), (figures, baselines.hot, ceiling), goal);
    }
    let peak = usage::peak(server.service.pid())?;
    table.tell("6 resident, under load", "MB", peak, Goal::AtMost(150.0));
    server.service.stop()
}

/// Adds a rate beside that of pgbench, and rate and cost beside those of the bare program.
fn beside(
    table: &mut Table,
    row: &str,
    (figures, baseline, ceiling): (&Figures, f64, &Figures),
    goal: Goal,
) {
    table.compare(row, "/s", (figures.rate, baseline), goal);
    table.beside_ceiling("/s", (figures.rate, ceiling.rate));
    costs(table, figures.cost, Some(ceiling.cost));
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

/// Waits until no job is left; fails if that takes too long.
pub(crate) async fn until_drained(database: &Database) -> Result<(), Box<dyn Error>> {
    const LEFT: &str = "SELECT count(*) FROM (SELECT FROM delivery_jobs LIMIT 1) AS job";
    let began = Instant::now();
    while database.number(LEFT).await? > 0 {
        if began.elapsed() > LONGEST_DELIVERY {
            return Err("messages wait for their delivery for too long".into());
        }
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
pub(crate) fn processor(table: &mut Table, used: (Processor, Processor), messages: u64) -> f64 {
    let cost = Cost::of(used, messages);
    costs(table, cost, None);
    cost.both()
}

/// Adds the processor time of a message, beside that of the bare program if it was measured.
fn costs(table: &mut Table, cost: Cost, ceiling: Option<Cost>) {
    table.tell("  processor, service", "µs/message", cost.service, Goal::None);
    if let Some(ceiling) = ceiling {
        table.beside_ceiling("µs/message", (cost.service, ceiling.service));
    }
    table.tell("  processor, PostgreSQL", "µs/message", cost.postgres, Goal::None);
    if let Some(ceiling) = ceiling {
        table.beside_ceiling("µs/message", (cost.postgres, ceiling.postgres));
    }
    let figures = (cost.both(), table.transaction);
    table.compare("  processor, both / a transaction of pgbench", "µs", figures, Goal::None);
    if let Some(ceiling) = ceiling {
        table.beside_ceiling("µs", (cost.both(), ceiling.both()));
    }
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
