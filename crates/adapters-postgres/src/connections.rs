//! How connections are made, and which of them are fit for use again.

use std::{sync::Arc, time::Duration};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::{ConnectionError, ConnectionResult, QueryResult};
use diesel_async::{
    AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection, pooled_connection::PoolableConnection,
};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio_postgres::{
    Config, NoTls, Socket,
    config::SslMode,
    tls::{MakeTlsConnect, TlsConnect},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a connection may take to come about, or to be lent out.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// How long a connection that was lent out is taken to work without a question.
const FRESH: Duration = Duration::from_secs(1);
/// How long a packet may remain without an answer before the connection counts as dead.
const SILENCE: Duration = Duration::from_secs(10);
/// Compiling a plan takes longer than any statement here.
const LIMITS: &str = "SET statement_timeout = '10s'; \
                      SET idle_in_transaction_session_timeout = '15s'; SET jit = off";
/// Writers find every row by its key. Left alone, the planner weighs each batch anew, and reads a
/// whole table for a few hundred rows of it: what it thinks of the table is minutes old, when it has
/// grown many times over. Where it has a choice it goes through an index from end to end instead, so
/// writers leave it none: `key = ANY(ARRAY[other.key])` is found by an index, as `key = other.key` is,
/// but cannot be merged, for which an index would be read as a whole.
const BY_KEY: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                      SET enable_hashjoin = off; SET enable_mergejoin = off; \
                      SET enable_material = off";

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
    config: Config,
    tls: Option<MakeRustlsConnect>,
    settings: String,
    // A connection is driven by a task of the runtime on which it was made. The runtime of a
    // thread that serves requests may end before the connection does, so this one is used.
    runtime: Handle,
}

impl Connections {
    /// Connections to the database at `url`, driven by the current runtime.
    pub(crate) fn new(url: &str) -> Result<Self, ConfigError> {
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
        Ok(Self { config, tls, settings: LIMITS.to_owned(), runtime: Handle::try_current()? })
    }

    /// The same connections, for statements that find every row by its key.
    pub(crate) fn by_key(self) -> Self {
        Self { settings: format!("{LIMITS}; {BY_KEY}"), ..self }
    }

    /// Makes a connection without limits of time, for migrations.
    pub(crate) async fn establish(&self) -> ConnectionResult<AsyncPgConnection> {
        let Self { config, tls, runtime, .. } = self.clone();
        let connecting = async move {
            match tls {
                Some(tls) => open(&config, tls).await,
                None => open(&config, NoTls).await,
            }
        };
        runtime.spawn(connecting).await.unwrap_or_else(|error| Err(bad_connection(&error)))
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

impl Manager for Connections {
    type Type = AsyncPgConnection;
    type Error = ConnectionError;

    async fn create(&self) -> ConnectionResult<AsyncPgConnection> {
        let mut conn = self.establish().await?;
        conn.batch_execute(&self.settings)
            .await
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(conn)
    }

    async fn recycle(
        &self,
        conn: &mut AsyncPgConnection,
        metrics: &Metrics,
    ) -> RecycleResult<ConnectionError> {
        if conn.is_broken() {
            return Err(RecycleError::message("the connection is broken"));
        }
        if metrics.last_used() > FRESH {
            let answer = tokio::time::timeout(PATIENCE / 2, ping(conn)).await;
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

async fn ping(conn: &mut AsyncPgConnection) -> QueryResult<usize> {
    diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>("1")).execute(conn).await
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
