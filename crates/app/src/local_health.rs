//! Requests for the health of a service on this machine.

use std::{
    fmt, io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Longest time of an answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Largest answer that is read, in bytes.
const MAX_ANSWER: u64 = 65_536;

/// Health of the service at an address of this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalHealth {
    address: SocketAddr,
}

/// Answer of the service.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HealthAnswer {
    /// Status of HTTP.
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl HealthAnswer {
    pub(crate) fn is_ok(&self) -> bool {
        self.status == 200
    }
}

impl LocalHealth {
    /// Returns the health of the service that listens on the address. One that listens on all addresses
    /// is asked on the loopback.
    pub(crate) fn of(mut address: SocketAddr) -> Self {
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        Self { address }
    }

    /// Sends `GET` to a path, and returns the answer.
    pub(crate) async fn ask(&self, path: &str) -> io::Result<HealthAnswer> {
        match timeout(TIMEOUT, self.exchange(path)).await {
            Ok(answer) => answer,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// True if the server reacts in time. One that has as many connections as it may have closes further
    /// ones at once, and is alive.
    pub(crate) async fn is_live(&self) -> bool {
        match self.ask("/health/live").await {
            Ok(_) => true,
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::BrokenPipe
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::UnexpectedEof
            ),
        }
    }

    async fn exchange(&self, path: &str) -> io::Result<HealthAnswer> {
        let mut connection = TcpStream::connect(self.address).await?;
        // In this version of HTTP an answer is never in chunks, and ends with the connection.
        let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.address);
        connection.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        connection.take(MAX_ANSWER).read_to_end(&mut answer).await?;
        parse(&String::from_utf8_lossy(&answer))
    }
}

impl fmt::Display for LocalHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.address)
    }
}

fn parse(answer: &str) -> io::Result<HealthAnswer> {
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let mut status = head.strip_prefix("HTTP/").unwrap_or_default().split(' ').skip(1);
    let status = status.next().and_then(|status| status.parse().ok());
    let status = status.ok_or(io::ErrorKind::InvalidData)?;
    Ok(HealthAnswer { status, body: body.trim_end().to_owned() })
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// Binds a port of this machine, on which nothing is accepted yet.
    async fn listener() -> (TcpListener, LocalHealth) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let health = LocalHealth::of(listener.local_addr().unwrap());
        (listener, health)
    }

    #[test]
    fn an_answer_has_a_status_and_a_body() {
        let answer = parse("HTTP/1.0 503 Service Unavailable\r\na: b\r\n\r\n{}\n").unwrap();
        assert_eq!(answer, HealthAnswer { status: 503, body: "{}".to_owned() });
        assert!(!answer.is_ok());
        assert_eq!(parse("").unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(parse("SSH-2.0\r\n\r\n").unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_service_on_all_addresses_is_asked_on_the_loopback() {
        for (listen, asked) in [
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            ("[::]:8080", "http://[::1]:8080"),
            ("10.0.0.1:80", "http://10.0.0.1:80"),
        ] {
            assert_eq!(LocalHealth::of(listen.parse().unwrap()).to_string(), asked);
        }
    }

    #[tokio::test]
    async fn a_server_that_closes_connections_at_once_is_live() {
        let (listener, health) = listener().await;
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                drop(connection);
            }
        });
        assert!(health.is_live().await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_accepts_nothing_is_not_live() {
        let (_listener, health) = listener().await;
        assert!(!health.is_live().await);
    }

    #[tokio::test]
    async fn a_service_that_does_not_listen_is_not_live() {
        let (listener, health) = listener().await;
        drop(listener);
        assert!(!health.is_live().await);
    }
}
