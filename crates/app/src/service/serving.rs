//! Servers of a service: of the API, and of the metrics.

use std::{io, net::SocketAddr};

use adapters_http::{Api, ConnectionLimits, MetricsText, Server, ServerHandle};
use tokio::task::{JoinError, JoinHandle};

use super::{Sockets, StartError};
use crate::supervisor::Supervisor;

/// Running servers.
pub(super) struct Serving {
    address: SocketAddr,
    api: ServerHandle,
    task: JoinHandle<io::Result<()>>,
    metrics: Option<ServerHandle>,
}

impl Serving {
    /// Starts to accept requests.
    pub(super) fn start(
        sockets: Sockets,
        api: &Api,
        limits: ConnectionLimits,
        metrics: MetricsText,
        supervisor: &mut Supervisor,
    ) -> Result<Self, StartError> {
        let (listener, metrics_listener) = sockets.listen()?;
        let (server, address) =
            adapters_http::serve(api, adapters_dashboard::site, listener, limits)?;
        let metrics_server = match metrics_listener {
            Some(listener) => Some(adapters_http::serve_metrics(listener, metrics)?),
            None => None,
        };
        let metrics = metrics_server.as_ref().map(Server::handle);
        if let Some(server) = metrics_server {
            supervisor.spawn("metrics server", run(server));
        }
        Ok(Self { address, api: server.handle(), task: tokio::spawn(server), metrics })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the server of the API to end by itself, and returns a description of its end.
    pub(super) async fn ended(&mut self) -> String {
        match (&mut self.task).await.map_err(JoinError::into).flatten() {
            Ok(()) => "the server ended".to_owned(),
            Err(error) => format!("the server ended: {error}"),
        }
    }

    /// Accepts no more requests, and answers those in flight.
    pub(super) async fn stop(self) {
        self.api.stop(true).await;
        if let Some(metrics) = self.metrics {
            metrics.stop(false).await;
        }
    }
}

async fn run(server: Server) {
    if let Err(error) = server.await {
        tracing::error!(%error, "failed to serve the metrics");
    }
}
