//! Addresses that a service listens on.

use std::{
    io,
    net::{SocketAddr, TcpListener},
};

use tokio::net::TcpSocket;

use super::StartError;
use crate::config::Server;

/// Most connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// Addresses that are bound before anything else is done, so that a failing start changes nothing.
/// Nobody can connect before the service listens on them.
pub struct Sockets {
    api: TcpSocket,
    metrics: Option<TcpSocket>,
}

impl Sockets {
    /// Binds the addresses. A failure for the metrics is not an error.
    pub fn bind(server: &Server) -> Result<Self, StartError> {
        Self::bind_to(server.listen, server.metrics_listen)
    }

    fn bind_to(api: SocketAddr, metrics: Option<SocketAddr>) -> Result<Self, StartError> {
        let api = bind(api).map_err(|error| format!("cannot listen on {api}: {error}"))?;
        let metrics = metrics.and_then(|address| {
            bind(address)
                .inspect_err(|error| tracing::warn!(%address, %error, "cannot serve the metrics"))
                .ok()
        });
        Ok(Self { api, metrics })
    }

    /// Returns the address of the API, with the port that was chosen if any port would do.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.api.local_addr()
    }

    /// Listens on the address of the API, and on that of the metrics if there is one.
    pub(super) fn listen(self) -> io::Result<(TcpListener, Option<TcpListener>)> {
        let metrics = self.metrics.and_then(|socket| {
            listen(socket)
                .inspect_err(|error| tracing::warn!(%error, "cannot serve the metrics"))
                .ok()
        });
        let address = self.api.local_addr()?;
        let api = listen(self.api).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
        })?;
        Ok((api, metrics))
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn listen(socket: TcpSocket) -> io::Result<TcpListener> {
    socket.listen(BACKLOG)?.into_std()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_an_address_in_use_and_starts_without_metrics() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let taken_address = taken.local_addr().unwrap();
        let free = "127.0.0.1:0".parse().unwrap();

        let error = Sockets::bind_to(taken_address, None).err().unwrap().to_string();
        assert!(error.starts_with(&format!("cannot listen on {taken_address}: ")), "{error}");

        let (_api, metrics) =
            Sockets::bind_to(free, Some(taken_address)).unwrap().listen().unwrap();
        assert!(metrics.is_none());
    }
}
