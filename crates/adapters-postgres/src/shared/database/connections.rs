//! Creation of connections, and checks before their reuse.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::{ConnectionError, ConnectionResult, QueryResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{
    Config, NoTls, Socket,
    config::SslMode,
    error::SqlState,
    tls::{MakeTlsConnect, TlsConnect},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::shared::database::{
    config_error::ConfigError, connection::Connection, hosts, parameters::Parameters,
    places::Places, start_options::Purpose, target::PgTarget,
};

/// Maximum time for a server to open a connection.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Time after use for which a connection is trusted without a check.
const FRESH: Duration = Duration::from_secs(1);
/// Maximum time without acknowledgement of a packet before the connection counts as dead.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
/// Additional time beyond the server's own limit to wait for a statement. A working server ends the
/// statement by itself, and the connection stays usable.
const GRACE: Duration = Duration::from_millis(500);
/// Additional time to wait for a connection that may be in use for other work: nobody waits for the
/// work of pools that share their connections.
const FOR_PLACE: Duration = Duration::from_secs(30);

/// Creates connections and recycles them.
#[derive(Clone)]
pub(crate) struct Connections {
    target: PgTarget,
    hosts: Vec<Config>,
    /// Index of the host that opened the last connection.
    current: Arc<AtomicUsize>,
    tls: Option<MakeRustlsConnect>,
    purpose: Purpose,
    /// Places of the connections that its pool shares with others; `None` if it shares none.
    places: Option<Places>,
    /// True unless the server has refused to be asked for messages in English.
    asks_for_english: Arc<AtomicBool>,
    // A connection is driven by a task of the runtime on which it was made. The runtime of a thread
    // that serves requests may end before the connection does, so this one is used.
    runtime: Handle,
}

impl Connections {
    /// Creates connections to a database, driven by the current runtime.
    pub(crate) fn new(target: impl Into<PgTarget>, purpose: Purpose) -> Result<Self, ConfigError> {
        let target = target.into();
        let Parameters { mut config, tls } = Parameters::read(target.url())?;
        if config.get_application_name().is_none() {
            config.application_name("atumpan");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(TIMEOUT);
        }
        config.keepalives_idle(KEEPALIVE_IDLE).tcp_user_timeout(KEEPALIVE_IDLE);
        config.ssl_mode(tls.encryption());
        let tls = tls.connector()?;
        let (hosts, current) = (hosts::each(&config), Arc::default());
        let asks_for_english = Arc::new(AtomicBool::new(true));
        let runtime = Handle::try_current()?;
        let places = None;
        Ok(Self { target, hosts, current, tls, purpose, places, asks_for_english, runtime })
    }

    /// Makes the connections occupy these places, which other pools use too.
    pub(crate) fn sharing(self, places: Places) -> Self {
        Self { places: Some(places), ..self }
    }

    /// Returns the places of the connections, if other pools use them too.
    pub(crate) fn places(&self) -> Option<&Places> {
        self.places.as_ref()
    }

    /// Returns the maximum time to borrow a connection: that to open one, the sum over all hosts, and
    /// to wait for a place.
    pub(crate) fn borrow_timeout(&self) -> Duration {
        let opening: Duration = self.hosts.iter().map(connect_timeout).sum();
        if self.places.is_some() { opening + FOR_PLACE } else { opening }
    }

    /// Opens a connection. Hosts are tried in their order, but the one that was reached last comes
    /// first.
    pub(crate) async fn establish(&self) -> ConnectionResult<AsyncPgConnection> {
        let first = self.current.load(Ordering::Relaxed);
        let mut last = None;
        for turn in 0..self.hosts.len() {
            let index = (first + turn) % self.hosts.len();
            match self.reach(&self.hosts[index]).await {
                Ok(conn) => {
                    self.current.store(index, Ordering::Relaxed);
                    return Ok(conn);
                }
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| ConnectionError::BadConnection("there is no host".into())))
    }

    /// Returns the reason if no host can be reached, and that may pass by itself.
    pub(crate) async fn absence(&self) -> Option<String> {
        let mut reason = None;
        for host in &self.hosts {
            match self.try_to_reach(host, false).await {
                Err(Unreached::Away(error) | Unreached::Refused(error)) => {
                    reason = Some(error.to_string());
                }
                Ok(_) | Err(_) => return None,
            }
        }
        reason
    }

    /// A server refuses a connection that requests a setting that its role may not change. Only the
    /// language is of that kind, and only some servers allow it.
    async fn reach(&self, host: &Config) -> ConnectionResult<AsyncPgConnection> {
        let asks_for_english = self.asks_for_english.load(Ordering::Relaxed);
        match self.try_to_reach(host, asks_for_english).await {
            Err(Unreached::Forbidden(_)) if asks_for_english => {
                let conn = self.try_to_reach(host, false).await?;
                self.asks_for_english.store(false, Ordering::Relaxed);
                Ok(conn)
            }
            // Connects in clear as libpq does, for servers whose TLS is too old.
            Err(Unreached::Unencrypted(_)) if host.get_ssl_mode() == SslMode::Prefer => {
                let mut in_clear = host.clone();
                in_clear.ssl_mode(SslMode::Disable);
                Ok(self.try_to_reach(&in_clear, asks_for_english).await?)
            }
            reached => Ok(reached?),
        }
    }

    async fn try_to_reach(
        &self,
        host: &Config,
        asks_for_english: bool,
    ) -> Result<AsyncPgConnection, Unreached> {
        let (mut config, tls) = (host.clone(), self.tls.clone());
        config.options(self.purpose.options(asks_for_english, host.get_options()));
        let connecting = async move {
            let opening = async {
                match tls {
                    Some(tls) => open(&config, tls).await,
                    None => open(&config, NoTls).await,
                }
            };
            let opened = timeout(connect_timeout(&config), opening).await;
            opened.unwrap_or_else(|late| Err(Unreached::Away(bad_connection(&late))))
        };
        let connected = self.runtime.spawn(connecting).await;
        let connected = connected.unwrap_or_else(|error| Err(bad_connection(&error).into()));
        if matches!(connected, Err(Unreached::Refused(_))) {
            self.target.note_refusal();
        }
        connected
    }

    /// Returns the database to which they connect.
    pub(crate) fn target(&self) -> &PgTarget {
        &self.target
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

/// Returns the maximum time for a host to open a connection.
fn connect_timeout(host: &Config) -> Duration {
    host.get_connect_timeout().copied().unwrap_or(TIMEOUT)
}

impl Manager for Connections {
    type Type = Connection;
    type Error = ConnectionError;

    async fn create(&self) -> ConnectionResult<Connection> {
        let place = match &self.places {
            Some(places) => places.take().await,
            None => None,
        };
        let deadline = self.purpose.limit().map(|limit| limit + GRACE);
        Ok(Connection::new(self.establish().await?, deadline, place))
    }

    async fn recycle(
        &self,
        conn: &mut Connection,
        metrics: &Metrics,
    ) -> RecycleResult<ConnectionError> {
        if conn.is_broken() {
            return Err(RecycleError::message("the connection is broken"));
        }
        if metrics.last_used() > FRESH {
            let answer = timeout(TIMEOUT / 2, ping(conn)).await;
            answer.map_err(|_| RecycleError::message("the connection does not answer"))?.map_err(
                |error| RecycleError::Backend(ConnectionError::CouldntSetupConfiguration(error)),
            )?;
        }
        Ok(())
    }
}

/// Beginning of the client's errors about TLS, whose class it does not expose.
const NO_TLS: &str = "error performing TLS handshake";

/// Beginnings of the client's errors about a server that does not answer, or no longer.
const NO_ANSWER: [&str; 4] = [
    "error connecting to server",
    "error communicating with the server",
    "connection closed",
    "timeout waiting for server",
];

/// Reason for a failed connection attempt.
enum Unreached {
    /// The role may not change the requested setting.
    Forbidden(ConnectionError),
    /// The server has no room for another client, or not for this role or database.
    Refused(ConnectionError),
    /// Server and client could not agree on encryption.
    Unencrypted(ConnectionError),
    /// No server answers, or it is starting or stopping.
    Away(ConnectionError),
    /// Any other error.
    Failed(ConnectionError),
}

impl From<ConnectionError> for Unreached {
    fn from(error: ConnectionError) -> Self {
        Self::Failed(error)
    }
}

impl From<Unreached> for ConnectionError {
    fn from(unreached: Unreached) -> Self {
        match unreached {
            Unreached::Forbidden(error)
            | Unreached::Refused(error)
            | Unreached::Unencrypted(error)
            | Unreached::Away(error)
            | Unreached::Failed(error) => error,
        }
    }
}

async fn open<T>(config: &Config, tls: T) -> Result<AsyncPgConnection, Unreached>
where
    T: MakeTlsConnect<Socket> + Send,
    T::Stream: Send + 'static,
    T::TlsConnect: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let connected = config.connect(tls).await;
    let (client, connection) = connected.map_err(|error| match error.code() {
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => Unreached::Forbidden(bad_connection(&error)),
        Some(&SqlState::TOO_MANY_CONNECTIONS) => Unreached::Refused(bad_connection(&error)),
        Some(&SqlState::CANNOT_CONNECT_NOW) => Unreached::Away(bad_connection(&error)),
        None if error.to_string().starts_with(NO_TLS) => {
            Unreached::Unencrypted(bad_connection(&error))
        }
        None if NO_ANSWER.iter().any(|begin| error.to_string().starts_with(begin)) => {
            Unreached::Away(bad_connection(&error))
        }
        _ => Unreached::Failed(bad_connection(&error)),
    })?;
    Ok(AsyncPgConnection::try_from_client_and_connection(client, connection).await?)
}

async fn ping(conn: &mut Connection) -> QueryResult<()> {
    conn.batch_execute("SELECT 1").await
}

/// Keeps the whole chain of causes, which `ConnectionError` has no room for.
fn bad_connection(error: &dyn std::error::Error) -> ConnectionError {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<_> = causes.map(ToString::to_string).collect();
    ConnectionError::BadConnection(causes.join(": "))
}
