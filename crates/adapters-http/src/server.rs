//! The server: accepts connections, and limits their clients before any request is read.

mod connections;
pub(crate) mod pace;
mod stream;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use actix_http::{HttpService, error::DispatchError};
use actix_server::ServerBuilder;
pub use actix_server::{Server, ServerHandle};
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::{Error, HttpServer, dev::AppConfig};
use tokio::net::TcpStream;

use self::{
    connections::Connections,
    stream::{ClientStream, Timeouts},
};
use crate::{
    Api, MetricsText, Site,
    inbound::{app, metrics_app, telemetry},
};

/// Time within which a client must close a connection that is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// Registers the counters of requests and connections, so that they exist before the first.
pub fn register_metrics() {
    stream::register();
    telemetry::register();
}

/// Limits on the clients of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections from one address (IPv6: /64). Not for loopback and trusted proxies.
    pub connections_per_address: usize,
    /// Time within which a client must complete a request, or take an answer.
    pub client_timeout: Duration,
    /// Time for which a connection stays open without a request.
    pub idle_timeout: Duration,
    /// Time that requests in flight may take when the server stops.
    pub shutdown_timeout: Duration,
}

/// Serves `api` and a site beside it on `listener`, and returns the server with its address. Must be
/// called inside a Tokio runtime.
pub fn serve(
    api: &Api,
    site: Site,
    listener: TcpListener,
    limits: ConnectionLimits,
) -> io::Result<(Server, SocketAddr)> {
    let address = listener.local_addr()?;

    let builder = ServerBuilder::new()
        .disable_signals()
        .max_concurrent_connections(limits.connections.saturating_add(1))
        .shutdown_timeout(limits.shutdown_timeout.as_secs());
    let shutdown = builder.graceful_shutdown_signal();
    let connections = Connections::new(
        limits.connections,
        limits.connections_per_address,
        api.trusted_proxies.clone(),
    );
    let api = api.clone();
    let timeouts = Timeouts { client: limits.client_timeout, idle: limits.idle_timeout };
    let builder = builder.listen("api", listener, move || {
        let (shutdown, connections) = (shutdown.clone(), connections.clone());
        let application = app(&api, site).into_factory();
        let application = application.map_err(|error: Error| error.error_response());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let shutdown = shutdown.clone();
                async move { shutdown.notified().await }
            })
            .keep_alive(timeouts.idle)
            .client_disconnect_timeout(FAREWELL)
            .local_addr(address)
            .on_connect_ext(|stream: &ClientStream<TcpStream>, data| {
                data.insert(stream.pace());
            })
            .h1(map_config(application, |()| AppConfig::default()));
        let admit = fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            let place = connections.enter(peer.map(|peer| peer.ip()));
            let admitted = place.ok_or(io::ErrorKind::ConnectionRefused);
            async move {
                let place = admitted.map_err(|kind| DispatchError::Io(kind.into()))?;
                // A long answer would wait for the client's delayed acknowledgement, some 40 ms. If
                // this fails, it only comes later.
                let _ = stream.set_nodelay(true);
                Ok((ClientStream::new(stream, timeouts, place), peer))
            }
        });
        admit.and_then(http)
    })?;
    Ok((builder.run(), address))
}

/// Serves the metrics alone on `listener`. Must be called inside a Tokio runtime.
pub fn serve_metrics(listener: TcpListener, text: MetricsText) -> io::Result<Server> {
    let server = HttpServer::new(move || metrics_app(&text)).workers(1).disable_signals();
    Ok(server.listen(listener)?.run())
}
