//! How connections are made, and which of them are fit for use again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::{ConnectionError, ConnectionResult, QueryResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{
    Config, NoTls, Socket,
    config::SslMode,
    tls::{MakeTlsConnect, TlsConnect},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{connection::Connection, hosts};

/// How long a server may take to let a connection come about.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a connection that was lent out is taken to work without a question.
const FRESH: Duration = Duration::from_secs(1);
/// How long a packet may remain without an answer before the connection counts as dead.
const SILENCE: Duration = Duration::from_secs(10);
/// How much longer than the server's own limit we wait for a statement. A server that works ends it by
/// itself, and the connection lives on.
const GRACE: Duration = Duration::from_millis(500);
/// Compiling a plan takes longer than any statement here. What is wrong is known by the messages of the
/// server, so they should be in English, where that may be asked for.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '15s'; SET jit = off; \
                        DO $$ BEGIN SET lc_messages = 'C'; \
                        EXCEPTION WHEN insufficient_privilege THEN NULL; END $$";
/// Writers find every row by its key. Left alone, the planner weighs each batch anew, and reads a
/// whole table for a few hundred rows of it: what it thinks of the table is minutes old, when it has
/// grown many times over. Where it has a choice it goes through an index from end to end instead, so
/// writers leave it none: `key = ANY(ARRAY[other.key])` is found by an index, as `key = other.key` is,
/// but cannot be merged, for which an index would be read as a whole.
///
/// They wait for a lock only for so long as others hold one in passing: one batch has the rows of many
/// organizations, and must not wait for one of them.
const WRITING: &str = "SET lock_timeout = '200ms'; \
                       SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                       SET enable_hashjoin = off; SET enable_mergejoin = off; \
                       SET enable_material = off";

/// What statements are for, which says how long they may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Somebody waits for the answer.
    Requests,
    /// They write in batches, and somebody waits for the answer.
    Writers,
    /// Nobody waits for them.
    Background,
    /// They may take long, but not for ever.
    Maintenance,
}

impl Purpose {
    fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Self::Requests | Self::Writers => 5,
            Self::Background => 30,
            Self::Maintenance => 600,
        })
    }

    fn settings(self) -> String {
        let limit = self.limit().as_secs();
        let writing = if self == Self::Writers { WRITING } else { "" };
        format!("SET statement_timeout = '{limit}s'; {SETTINGS}; {writing}")
    }
}

/// The database cannot be reached as configured.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The address is not a `postgres://…` URL or a list of `key=value` pairs.
    #[error("the address of the database is malformed")]
    Url(#[source] tokio_postgres::Error),
    /// The address asks for TLS, which cannot be set up.
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
    /// Connections need a runtime that outlives them.
    #[error("there is no Tokio runtime")]
    NoRuntime(#[from] tokio::runtime::TryCurrentError),
    /// The pool was given time-outs and nothing to measure them with.
    #[error("the pool cannot be built")]
    Pool(#[from] deadpool::managed::BuildError),
}

/// Makes connections and looks after them.
#[derive(Clone)]
pub(crate) struct Connections {
    hosts: Vec<Config>,
    /// The host that let the last connection come about.
    current: Arc<AtomicUsize>,
    tls: Option<MakeRustlsConnect>,
    purpose: Purpose,
    // A connection is driven by a task of the runtime on which it was made. The runtime of a
    // thread that serves requests may end before the connection does, so this one is used.
    runtime: Handle,
}

impl Connections {
    /// Connections to the database at `url`, driven by the current runtime.
    pub(crate) fn new(url: &str, purpose: Purpose) -> Result<Self, ConfigError> {
        let mut config: Config = url.parse().map_err(ConfigError::Url)?;
        if config.get_application_name().is_none() {
            config.application_name("atumpan");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        config.keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        // Without `require` a server that offers TLS with a certificate of its own making, as
        // Debian's does, would be refused.
        let tls = match config.get_ssl_mode() {
            SslMode::Require => Some(tls().map_err(ConfigError::Tls)?),
            _ => None,
        };
        let (hosts, current) = (hosts::each(&config), Arc::default());
        Ok(Self { hosts, current, tls, purpose, runtime: Handle::try_current()? })
    }

    /// How long a connection may take to come about, or to be lent out: every host has its time.
    pub(crate) fn patience(&self) -> Duration {
        self.hosts.iter().map(patience).sum()
    }

    /// Makes a connection without limits of time for its statements, for migrations. Hosts are tried
    /// in their order, but the one that was reached last comes first.
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

    async fn reach(&self, host: &Config) -> ConnectionResult<AsyncPgConnection> {
        let (config, tls) = (host.clone(), self.tls.clone());
        let connecting = async move {
            let opening = async {
                match tls {
                    Some(tls) => open(&config, tls).await,
                    None => open(&config, NoTls).await,
                }
            };
            let opened = timeout(patience(&config), opening).await;
            opened.unwrap_or_else(|late| Err(bad_connection(&late)))
        };
        let connected = self.runtime.spawn(connecting).await;
        connected.unwrap_or_else(|error| Err(bad_connection(&error)))
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

/// How long a host may take to let a connection come about.
fn patience(host: &Config) -> Duration {
    host.get_connect_timeout().copied().unwrap_or(PATIENCE)
}

impl Manager for Connections {
    type Type = Connection;
    type Error = ConnectionError;

    async fn create(&self) -> ConnectionResult<Connection> {
        let conn = self.establish().await?;
        let mut conn = Connection::new(conn, Some(self.purpose.limit() + GRACE));
        conn.batch_execute(&self.purpose.settings())
            .await
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(conn)
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
            let answer = timeout(PATIENCE / 2, ping(conn)).await;
            answer.map_err(|_| RecycleError::message("the connection does not answer"))?.map_err(
                |error| RecycleError::Backend(ConnectionError::CouldntSetupConfiguration(error)),
            )?;
        }
        Ok(())
    }
}

async fn open<T>(config: &Config, tls: T) -> ConnectionResult<AsyncPgConnection>
where
    T: MakeTlsConnect<Socket> + Send,
    T::Stream: Send + 'static,
    T::TlsConnect: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, connection) = config.connect(tls).await.map_err(|error| bad_connection(&error))?;
    AsyncPgConnection::try_from_client_and_connection(client, connection).await
}

async fn ping(conn: &mut Connection) -> QueryResult<()> {
    conn.batch_execute("SELECT 1").await
}

/// TLS that trusts whom the machine trusts; `SSL_CERT_FILE` names others.
fn tls() -> Result<MakeRustlsConnect, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Keeps the whole chain of causes, which `ConnectionError` has no room for.
fn bad_connection(error: &dyn std::error::Error) -> ConnectionError {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<_> = causes.map(ToString::to_string).collect();
    ConnectionError::BadConnection(causes.join(": "))
}
