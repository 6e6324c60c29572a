//! Rows about the export of traces: off, and of one trace in a hundred.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use testkit::{HttpServer, Reply};

use crate::{
    harness::{Database, Harness, Service, WORKERS},
    load::{Load, Pace},
    report::{Goal, Table, number},
    rows::end_to_end,
    tenant::Tenant,
    usage::{Cost, Processor},
};

const CONNECTIONS: usize = 64;
/// Loads in their order, true with traces. A database gets slower while it grows, so each of the two is first
/// as often as the other.
const TURNS: [bool; 8] = [false, true, true, false, false, true, true, false];

/// Sums of loads, each until its last message was delivered.
#[derive(Default)]
struct Total {
    messages: u64,
    seconds: f64,
    service: f64,
    postgres: f64,
}

/// Measures all rows.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let requests = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&requests);
    let collector = HttpServer::start(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Reply::status(200)
    })
    .await;
    let url = collector.url();
    let exporting = [("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str())];
    let database = harness.database("traces").await?;
    let (mut off, mut on) = (Total::default(), Total::default());
    for (turn, is_exporting) in TURNS.into_iter().enumerate() {
        if is_exporting {
            on.run(&database, &exporting, turn, duration).await?;
        } else {
            off.run(&database, &[], turn, duration).await?;
        }
    }
    if requests.load(Ordering::Relaxed) == 0 {
        return Err("no span was exported: build atumpan with the feature otel".into());
    }
    // Processor time depends less than the rate on what else the machine does.
    let costs = (on.cost(), off.cost());
    let cost = "13 processor, a message end to end, traces of 1 % / off";
    table.compare(cost, "µs", (costs.0.both(), costs.1.both()), Goal::AtMost(1.03));
    for (name, cost) in [("off", costs.1), ("1 %", costs.0)] {
        table.tell(&format!("  service, {name}"), "µs/message", cost.service, Goal::None);
        table.tell(&format!("  PostgreSQL, {name}"), "µs/message", cost.postgres, Goal::None);
    }
    let rates = (on.rate(), off.rate());
    table.compare("  messages end to end, traces of 1 % / off", "/s", rates, Goal::None);
    harness.drop("traces").await
}

impl Total {
    /// Runs a load on a service with those settings.
    async fn run(
        &mut self,
        database: &Database,
        settings: &[(&str, &str)],
        number_of_tenant: usize,
        duration: Duration,
    ) -> Result<(), Box<dyn Error>> {
        let service = Service::start_set(database, WORKERS, "", settings)?;
        let tenant = Tenant::found(service.address(), number_of_tenant).await?;
        let load = |duration| Load {
            address: service.address(),
            requests: vec![tenant.send()],
            connections: CONNECTIONS,
            pace: Pace::Closed,
            duration,
        };
        // Nothing is measured before everything is warm.
        end_to_end(database, load(duration / 4)).await?;
        let before = Processor::now(service.pid(), database).await?;
        let (messages, rate) = end_to_end(database, load(duration)).await?;
        let after = Processor::now(service.pid(), database).await?;
        self.messages += messages;
        self.seconds += number(messages) / rate;
        self.service += after.service - before.service;
        self.postgres += after.postgres - before.postgres;
        service.stop()
    }

    /// Returns the processor time of a message.
    fn cost(&self) -> Cost {
        let used = Processor { service: self.service, postgres: self.postgres };
        Cost::of((Processor { service: 0.0, postgres: 0.0 }, used), self.messages)
    }

    fn rate(&self) -> f64 {
        number(self.messages) / self.seconds
    }
}
