//! Row that compares a trigger with a send of the same message.

use std::{error::Error, time::Duration};

use serde_json::json;

use crate::{
    harness::{Database, Harness, Service},
    http::{Connection, Request},
    load::{Load, Pace},
    report::{Goal, Table},
    rows::processor,
    tenant::Tenant,
    usage::Processor,
};

const CONNECTIONS: usize = 64;
/// Number of times that the two take turns, so that both see the same machine.
const TURNS: u32 = 4;

/// Measures the row.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let database = harness.database("triggers").await?;
    let service = Service::start(&database, 0)?;
    let tenant = Tenant::found(service.address(), 0).await?;
    let mut connection = Connection::open(service.address()).await?;
    tenant.make_event(&mut connection).await?;
    let load = |request: Request| Load {
        address: service.address(),
        requests: vec![request],
        connections: CONNECTIONS,
        pace: Pace::Closed,
        duration: duration / 2,
    };
    // Neither is measured before everything is warm.
    for request in [tenant.send(), tenant.trigger()] {
        load(request).run().await?;
    }
    let (mut sends, mut triggers) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        for (request, costs, named) in
            [(tenant.send(), &mut sends, "send"), (tenant.trigger(), &mut triggers, "trigger")]
        {
            let before = Processor::now(service.pid(), &database).await?;
            let measured = load(request).run().await?;
            let after = Processor::now(service.pid(), &database).await?;
            let messages = measured.without_failures()?;
            table.tell(&format!("10 {named}"), "/s", messages.rate(), Goal::None);
            costs.push(processor(table, (before, after), messages.answered));
        }
    }
    let mean = |costs: &[f64]| costs.iter().sum::<f64>() / f64::from(TURNS);
    let figures = (mean(&triggers), mean(&sends));
    table.compare(
        "10 a trigger / a send of the same message",
        "µs/message",
        figures,
        Goal::AtMost(1.2),
    );
    written(&database).await?;
    service.stop()?;
    harness.drop("triggers").await
}

/// Fails if triggers of one channel left more than messages.
async fn written(database: &Database) -> Result<(), Box<dyn Error>> {
    let rows = database.number("SELECT count(*) FROM triggers").await?;
    if rows == 0 { Ok(()) } else { Err(json!({ "triggers": rows }).to_string().into()) }
}
