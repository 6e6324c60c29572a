//! Rows about webhooks: the cost of messages that are published to an endpoint, and the rate at
//! which one endpoint gets a backlog.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    baseline::Baseline,
    harness::{Database, Harness, Service, WORKERS},
    http::Connection,
    load::{Load, Pace},
    receiver::Receiver,
    report::{Goal, Table, number},
    rows::{end_to_end, processor, tenants},
    tenant::{Tenant, call},
    usage::Processor,
};

const CONNECTIONS: usize = 64;
/// Number of clients of pgbench.
const CLIENTS: u32 = 64;
/// Number of times that organizations with an endpoint and without one take turns, so that both see
/// the same machine.
const TURNS: u32 = 3;
/// Number of messages in the backlog of an endpoint; each has two events.
const GATHERED: u64 = 50_000;
/// Longest time until everything is delivered.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Measures all rows.
pub(crate) async fn measure(
    harness: &Harness,
    duration: Duration,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let database = harness.database("webhooks").await?;
    let baseline = Baseline::prepare(database.clone()).await?;
    let hot = baseline.run(1, CLIENTS, duration).await?.per_second;
    let receiver = Receiver::start()?;
    let service = Service::start(&database, WORKERS)?;
    let mut tenants = tenants(&service, 3).await?;
    let (silent, told, gathering) = (tenants.remove(0), tenants.remove(0), tenants.remove(0));
    open_endpoint(&service, &told, &receiver).await?;
    let bench = Bench { database: &database, service: &service, receiver: &receiver, duration };
    bench.messages(&silent, &told, table).await?;
    bench.deliveries(&gathering, hot, table).await?;
    service.stop()?;
    harness.drop("webhooks").await
}

/// Creates an endpoint that takes every event, and waits until every instance has read it.
async fn open_endpoint(
    service: &Service,
    tenant: &Tenant,
    receiver: &Receiver,
) -> Result<(), Box<dyn Error>> {
    let mut connection = Connection::open(service.address()).await?;
    let endpoint = json!({ "url": receiver.url() });
    call(&mut connection, &tenant.post("/webhook-endpoints", &endpoint)).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(())
}

/// Common state of the rows.
struct Bench<'b> {
    database: &'b Database,
    service: &'b Service,
    receiver: &'b Receiver,
    duration: Duration,
}

impl Bench<'_> {
    /// Compares messages of an organization with an endpoint with those of one without.
    async fn messages(
        &self,
        silent: &Tenant,
        told: &Tenant,
        table: &mut Table,
    ) -> Result<(), Box<dyn Error>> {
        // Neither is measured before everything is warm.
        for tenant in [silent, told] {
            self.end_to_end(tenant).await?;
            self.until_notified(0).await?;
        }
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            // A report may overtake the answer of its provider; such a message has only one event.
            for (tenant, rates, named, least) in
                [(silent, &mut without, "without", 0), (told, &mut with, "with", 1)]
            {
                let received = self.receiver.received();
                let before = Processor::now(self.service.pid(), self.database).await?;
                let (messages, rate) = self.end_to_end(tenant).await?;
                self.until_notified(received + least * messages).await?;
                let after = Processor::now(self.service.pid(), self.database).await?;
                table.tell(&format!("11 end to end {named} an endpoint"), "/s", rate, Goal::None);
                processor(table, (before, after), messages);
                rates.push(rate);
            }
        }
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / f64::from(TURNS);
        let figures = (mean(&with), mean(&without));
        let row = "11 end to end with an endpoint that takes every event / without";
        table.compare(row, "/s", figures, Goal::AtLeast(0.6));
        Ok(())
    }

    async fn end_to_end(&self, tenant: &Tenant) -> Result<(u64, f64), Box<dyn Error>> {
        let load = Load {
            address: self.service.address(),
            requests: vec![tenant.send()],
            connections: CONNECTIONS,
            pace: Pace::Closed,
            duration: self.duration / 2,
        };
        end_to_end(self.database, load).await
    }

    /// Measures the deliveries of a backlog to an endpoint.
    async fn deliveries(
        &self,
        tenant: &Tenant,
        hot: f64,
        table: &mut Table,
    ) -> Result<(), Box<dyn Error>> {
        open_endpoint(self.service, tenant, self.receiver).await?;
        let load = LOAD
            .replace("$organization", &tenant.organization)
            .replace("$messages", &GATHERED.to_string());
        self.database.execute(&load).await?;
        self.database.execute("VACUUM ANALYZE outbound_events, webhook_deliveries").await?;
        self.database.execute("CHECKPOINT").await?;
        let received = self.receiver.received();
        let before = Processor::now(self.service.pid(), self.database).await?;
        self.database.execute(&DUE.replace("$organization", &tenant.organization)).await?;
        let began = Instant::now();
        let events = 2 * GATHERED;
        self.until_notified(received + events).await?;
        let rate = number(events) / began.elapsed().as_secs_f64();
        let after = Processor::now(self.service.pid(), self.database).await?;
        let row = "11 webhook deliveries to one endpoint / pgbench, one wallet";
        table.compare(row, "/s", (rate, hot), Goal::AtLeast(4.0));
        processor(table, (before, after), events);
        Ok(())
    }

    /// Waits until the receiver has got this number of requests in all, and none is pending. Fails
    /// if a delivery was given up.
    async fn until_notified(&self, requests: u64) -> Result<(), Box<dyn Error>> {
        let began = Instant::now();
        while self.receiver.received() < requests || self.database.number(LEFT).await? > 0 {
            if began.elapsed() > TIMEOUT {
                return Err("an endpoint is not told everything".into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        match self.database.number(GIVEN_UP).await? {
            0 => Ok(()),
            given_up => Err(format!("{given_up} deliveries failed").into()),
        }
    }
}

const LEFT: &str = "\
    SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE due_at IS NOT NULL LIMIT 1) AS delivery";

const GIVEN_UP: &str = "SELECT count(*) FROM webhook_deliveries WHERE status = 'FAILED'";

/// Inserts the events `SENT` and `DELIVERED` of messages, with data as long as those of a delivery
/// log. None is due yet.
const LOAD: &str = "\
    WITH moments AS ( \
        SELECT gen_random_uuid() AS message, now() - interval '1 hour' + number * interval '1 ms' AS at \
        FROM generate_series(1, $messages) AS number \
    ), told AS ( \
        INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at) \
        SELECT '$organization', uuid_v7_in(at + after, '$organization'), 'message.status.updated', \
            message, json_build_object('id', message, 'status', status, 'channel', 'SMS', \
                'recipient', '+233241234567', 'body', repeat('Your parcel has arrived. ', 20))::text, \
            at + after \
        FROM moments, (VALUES ('SENT', interval '0'), ('DELIVERED', interval '50 ms')) \
            AS step (status, after) \
        ORDER BY 2 RETURNING organization_id, id \
    ) \
    INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, due_at) \
    SELECT told.organization_id, endpoint.id, told.id, now() + interval '1 hour' \
    FROM told JOIN webhook_endpoints endpoint USING (organization_id)";

const DUE: &str = "\
    UPDATE webhook_deliveries SET due_at = now() WHERE organization_id = '$organization'";
