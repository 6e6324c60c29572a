//! Server under the loads of the rows: the service, or the bare program in its place.

use std::{error::Error, time::Duration};

use super::end_to_end;
use crate::{
    harness::{Database, Harness, Service},
    http::Request,
    load::{Load, Pace},
    report::number,
    tenant::{BULK, Tenant},
    usage::{Cost, Processor},
};

/// Database of the bare program.
const BARE: &str = "ceiling";

/// Mixes of requests that are only accepted.
pub(super) const ACCEPTED: [Mix; 4] = [
    Mix { name: "one tenant", tenants: 1, connections: 64 },
    Mix { name: "one tenant", tenants: 1, connections: 256 },
    Mix { name: "100 tenants", tenants: 100, connections: 64 },
    Mix { name: "100 tenants", tenants: 100, connections: 256 },
];

/// Mixes of requests whose messages are delivered.
pub(super) const DELIVERED: [Mix; 3] = [
    Mix { name: "one tenant", tenants: 1, connections: 64 },
    Mix { name: "one tenant", tenants: 1, connections: 256 },
    Mix { name: "100 tenants", tenants: 100, connections: 64 },
];

/// Number of organizations that send in turn, and of connections.
pub(super) struct Mix {
    name: &'static str,
    pub(super) tenants: usize,
    connections: usize,
}

/// Running server, with its organizations.
pub(super) struct Server {
    pub(super) service: Service,
    pub(super) database: Database,
    pub(super) tenants: Vec<Tenant>,
}

/// Messages per second, and their cost.
pub(super) struct Figures {
    pub(super) rate: f64,
    pub(super) cost: Cost,
}

/// Figures of a server that only accepts.
pub(super) struct Accepted {
    /// Those of each of [`ACCEPTED`].
    pub(super) mixes: Vec<Figures>,
    /// Latency of a lone send, p50 and p99, in milliseconds.
    pub(super) lone: [f64; 2],
    pub(super) bulk: Figures,
}

impl Mix {
    /// Returns the name of a row.
    pub(super) fn row(&self, beginning: &str) -> String {
        format!("{beginning}, {}, {} connections", self.name, self.connections)
    }
}

impl Server {
    /// Starts the bare program on a database of its own. With `delivers` it also hands messages over.
    pub(super) async fn start_bare(
        harness: &Harness,
        tenants: usize,
        delivers: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let database = harness.database(BARE).await?;
        let tenants = Tenant::load(&database, u64::try_from(tenants)?).await?;
        database.execute("VACUUM ANALYZE").await?;
        let service = Service::start_bare(&database, delivers)?;
        Ok(Self { service, database, tenants })
    }

    /// Stops the bare program, and removes its database.
    pub(super) async fn stop_bare(self, harness: &Harness) -> Result<(), Box<dyn Error>> {
        self.service.stop()?;
        harness.drop(BARE).await
    }

    /// Returns the requests of that number of organizations that send a message.
    pub(super) fn sends(&self, tenants: usize) -> Vec<Request> {
        self.tenants.iter().take(tenants).map(Tenant::send).collect()
    }

    /// Returns a request that sends [`BULK`] messages.
    pub(super) fn bulk(&self) -> Vec<Request> {
        self.tenants.iter().take(1).map(Tenant::send_bulk).collect()
    }

    /// Returns a load on the server.
    pub(super) fn load(
        &self,
        requests: Vec<Request>,
        connections: usize,
        pace: Pace,
        duration: Duration,
    ) -> Load {
        Load { address: self.service.address(), requests, connections, pace, duration }
    }

    /// Measures all that a server that only accepts is measured by.
    pub(super) async fn accepted(&self, duration: Duration) -> Result<Accepted, Box<dyn Error>> {
        let mut mixes = Vec::with_capacity(ACCEPTED.len());
        for mix in &ACCEPTED {
            mixes.push(self.accept(self.sends(mix.tenants), mix.connections, 1, duration).await?);
        }
        let lone = self.load(self.sends(1), 1, Pace::Closed, duration).run().await?;
        let lone = lone.without_failures()?;
        let lone = [lone.latency(0.5), lone.latency(0.99)];
        let bulk = self.accept(self.bulk(), 64, BULK, duration).await?;
        Ok(Accepted { mixes, lone, bulk })
    }

    /// Measures each of [`DELIVERED`], until the last message is delivered.
    pub(super) async fn delivered(
        &self,
        duration: Duration,
    ) -> Result<Vec<Figures>, Box<dyn Error>> {
        let mut mixes = Vec::with_capacity(DELIVERED.len());
        for mix in &DELIVERED {
            let requests = self.sends(mix.tenants);
            let load = self.load(requests, mix.connections, Pace::Closed, duration);
            let before = self.processor().await?;
            let (messages, rate) = end_to_end(&self.database, load).await?;
            let used = (before, self.processor().await?);
            mixes.push(Figures { rate, cost: Cost::of(used, messages) });
        }
        Ok(mixes)
    }

    /// Measures requests with that number of messages each, in a closed loop.
    pub(super) async fn accept(
        &self,
        requests: Vec<Request>,
        connections: usize,
        in_a_request: u64,
        duration: Duration,
    ) -> Result<Figures, Box<dyn Error>> {
        let load = self.load(requests, connections, Pace::Closed, duration);
        let before = self.processor().await?;
        let measured = load.run().await?;
        let used = (before, self.processor().await?);
        let rate = measured.without_failures()?.rate() * number(in_a_request);
        Ok(Figures { rate, cost: Cost::of(used, measured.answered * in_a_request) })
    }

    async fn processor(&self) -> Result<Processor, Box<dyn Error>> {
        Processor::now(self.service.pid(), &self.database).await
    }
}
