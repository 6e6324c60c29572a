//! Rows about more messages than can be delivered: the rate of deliveries under overload, the time
//! of recovery, and the rate at which a backlog is worked off.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use crate::{
    harness::{Database, Harness, Service, WORKERS},
    load::{Load, Measured, Pace},
    report::{Goal, Table, number},
    rows::{all_ended, processor, until_drained},
    tenant::Tenant,
    usage::{self, Processor},
};

/// Number of connections that brings the best rate, and a far larger one.
const USUAL: usize = 64;
const MANY: usize = 2_000;
/// Number of times that the two take turns.
const TURNS: u32 = 3;
/// Number of messages that gather without workers.
const BACKLOG: i64 = 400_000;

/// Sums of loads, each until its last message was delivered.
#[derive(Default)]
struct Total {
    messages: u64,
    refused: u64,
    without_advice: u64,
    seconds: f64,
    /// Longest time from the end of a load until no message was left, in seconds.
    recovery: f64,
}

/// Measures all rows.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let database = &harness.database("overload").await?;
    let best = overload(database, duration, table).await?;
    drain(database, duration, best, table).await?;
    harness.drop("overload").await
}

/// Alternates many connections with few, and returns the rate of the few.
async fn overload(
    database: &Database,
    duration: Duration,
    table: &mut Table,
) -> Result<f64, Box<dyn Error>> {
    let service = Service::start(database, WORKERS)?;
    let tenant = Tenant::found(service.address(), 0).await?;
    let load = |connections| Load {
        address: service.address(),
        requests: vec![tenant.send()],
        connections,
        pace: Pace::Closed,
        duration: duration / 2,
    };
    // Neither is measured before everything is warm.
    Total::default().run(database, load(USUAL)).await?;
    let (mut usual, mut many) = (Total::default(), Total::default());
    let mut used = Processor { service: 0.0, postgres: 0.0 };
    let nothing = used;
    for _ in 0..TURNS {
        usual.run(database, load(USUAL)).await?;
        let before = Processor::now(service.pid(), database).await?;
        many.run(database, load(MANY)).await?;
        let after = Processor::now(service.pid(), database).await?;
        used.service += after.service - before.service;
        used.postgres += after.postgres - before.postgres;
    }
    let row = format!("12 end to end, {MANY} connections / {USUAL}");
    table.compare(&row, "/s", (many.rate(), usual.rate()), Goal::AtLeast(0.95));
    processor(table, (nothing, used), many.messages);
    table.tell("  until all is delivered after the load", "s", many.recovery, Goal::AtMost(1.0));
    let asked = number(many.messages + many.refused);
    table.tell("  refused, share", "", number(many.refused) / asked, Goal::None);
    let without = number(many.without_advice);
    table.tell("  refused without 503 and Retry-After", "", without, Goal::AtMost(0.0));
    let peak = usage::peak(service.pid())?;
    table.tell("  resident, highest", "MB", peak, Goal::AtMost(150.0));
    service.stop()?;
    Ok(usual.rate())
}

/// Lets messages gather without workers, and then delivers them.
async fn drain(
    database: &Database,
    duration: Duration,
    best: f64,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    const WAITING: &str = "SELECT count(*) FROM delivery_jobs";
    let service = Service::start(database, 0)?;
    let tenant = Tenant::found(service.address(), 1).await?;
    while database.number(WAITING).await? < BACKLOG {
        let load = Load {
            address: service.address(),
            requests: vec![tenant.send()],
            connections: 256,
            pace: Pace::Closed,
            duration: duration / 4,
        };
        load.run().await?.without_failures()?;
    }
    service.stop()?;
    let messages = database.number(WAITING).await?.unsigned_abs();
    let service = Service::start(database, WORKERS)?;
    let (began, left) = (Instant::now(), database.number(WAITING).await?.unsigned_abs());
    let before = Processor::now(service.pid(), database).await?;
    until_drained(database).await?;
    let rate = number(left) / began.elapsed().as_secs_f64();
    let after = Processor::now(service.pid(), database).await?;
    all_ended(database).await?;
    let row = format!("12 a backlog of {messages} / end to end, {USUAL} connections");
    table.compare(&row, "/s", (rate, best), Goal::AtLeast(1.0));
    processor(table, (before, after), left);
    service.stop()
}

impl Total {
    async fn run(&mut self, database: &Database, load: Load) -> Result<(), Box<dyn Error>> {
        let began = Instant::now();
        let Measured { answered, failed, put_off, .. } = load.run().await?;
        let ended = Instant::now();
        until_drained(database).await?;
        all_ended(database).await?;
        self.messages += answered;
        self.refused += failed;
        self.without_advice += failed - put_off;
        self.seconds += began.elapsed().as_secs_f64();
        self.recovery = self.recovery.max(ended.elapsed().as_secs_f64());
        Ok(())
    }

    fn rate(&self) -> f64 {
        number(self.messages) / self.seconds
    }
}
