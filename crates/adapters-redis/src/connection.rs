//! Connection to Redis.

use std::{
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use redis::{
    Client, ErrorKind, IntoConnectionInfo, RedisError, RedisResult, ServerErrorKind,
    aio::{ConnectionManager, ConnectionManagerConfig},
    io::tcp::TcpSettings,
};
use thiserror::Error;

const CONNECT_WITHIN: Duration = Duration::from_millis(200);
const ANSWER_WITHIN: Duration = Duration::from_millis(200);
/// Time that a host may leave sent data unacknowledged before the connection counts as lost.
#[cfg(target_os = "linux")]
const LOST_AFTER: Duration = Duration::from_secs(5);
/// Time for which a Redis that did not answer is not asked to count.
const AWAY_FOR: Duration = Duration::from_secs(1);
/// Minimum time between two warnings that Redis does not answer.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// Connection to Redis that is made on first use, and again after it was lost. No caller waits longer than
/// a fraction of a second for an unavailable Redis. Clones share the connection.
#[derive(Clone)]
pub struct RedisConnection(Arc<Shared>);

struct Shared {
    client: Client,
    manager: RwLock<ConnectionManager>,
    warned_at: Mutex<Option<Instant>>,
    /// Time of the last failure to count; `None` if it has counted since.
    missed_at: Mutex<Option<Instant>>,
    /// Reason for the missing subscription; `None` if it is active or not wanted.
    lost_subscription: Mutex<Option<String>>,
}

/// Error of a URL that is not that of a Redis.
#[derive(Debug, Error)]
#[error(
    "must be such as redis://user:password@host:6379/0, or rediss:// for TLS, with the user and the \
     password percent-encoded"
)]
pub struct InvalidUrl(#[from] RedisError);

/// Returns host and port of a Redis for display, without its user or password.
pub fn address(url: &str) -> String {
    url.into_connection_info().map(|info| info.addr().to_string()).unwrap_or_default()
}

/// Fails for a text that is not the URL of a Redis.
pub fn check_url(url: &str) -> Result<(), InvalidUrl> {
    Ok(url.into_connection_info().map(drop)?)
}

impl RedisConnection {
    /// Creates a connection to `url`: `redis://[user:password@]host[:port][/database]`, or `rediss://…` by
    /// TLS. The machine has to trust the certificate; `SSL_CERT_FILE` names further authorities. To be
    /// called inside a Tokio runtime.
    pub fn new(url: &str) -> Result<Self, InvalidUrl> {
        let info = url.into_connection_info()?.set_tcp_settings(tcp_settings());
        let client = Client::open(info)?;
        let manager = RwLock::new(manager(&client)?);
        Ok(Self(Arc::new(Shared {
            client,
            manager,
            warned_at: Mutex::default(),
            missed_at: Mutex::default(),
            lost_subscription: Mutex::default(),
        })))
    }

    /// Returns the client, for separate connections.
    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    /// Returns the manager through which commands are sent. Report their failures with
    /// [`on_failure`](Self::on_failure).
    pub(crate) fn manager(&self) -> ConnectionManager {
        self.0.manager.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the count of Redis; `None` after a failure.
    pub(crate) fn counted<T>(&self, result: RedisResult<T>) -> Option<T> {
        self.note(result.is_ok());
        result.inspect_err(|error| self.on_failure(error)).ok()
    }

    /// Logs a failure, at limited frequency, and renews the connection if that can help.
    pub(crate) fn on_failure(&self, error: &RedisError) {
        self.warn(error);
        if needs_another_connection(error) {
            self.renew();
        }
    }

    /// Records that the subscription is active, or the reason why it is not.
    pub(crate) fn note_subscription(&self, error: Option<&RedisError>) {
        let mut lost = self.0.lost_subscription.lock().unwrap_or_else(PoisonError::into_inner);
        match error {
            None => tracing::info!("subscribed to Redis for signals of other instances"),
            Some(error) if lost.is_none() => {
                tracing::warn!(%error, "lost the subscription to Redis: changes and due work are looked for");
            }
            Some(_) => {}
        }
        *lost = error.map(reason);
    }

    /// Returns the reason for the missing subscription; `None` if it is active or not wanted.
    pub(crate) fn lost_subscription(&self) -> Option<String> {
        self.0.lost_subscription.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if Redis has just failed to count, so that requests do not wait for it one after the
    /// other.
    pub(crate) fn is_away(&self) -> bool {
        let missed_at = self.0.missed_at.lock().unwrap_or_else(PoisonError::into_inner);
        missed_at.is_some_and(|at| at.elapsed() < AWAY_FOR)
    }

    /// Records whether Redis has just counted.
    pub(crate) fn note(&self, has_counted: bool) {
        let mut missed_at = self.0.missed_at.lock().unwrap_or_else(PoisonError::into_inner);
        *missed_at = if has_counted { None } else { Some(Instant::now()) };
    }

    fn warn(&self, error: &RedisError) {
        let now = Instant::now();
        let mut warned_at = self.0.warned_at.lock().unwrap_or_else(PoisonError::into_inner);
        if warned_at.is_none_or(|at| now - at >= WARN_EVERY) {
            *warned_at = Some(now);
            tracing::warn!(%error, "Redis does not answer as it should");
        }
    }

    fn renew(&self) {
        if let Ok(manager) = manager(&self.0.client) {
            *self.0.manager.write().unwrap_or_else(PoisonError::into_inner) = manager;
        }
    }
}

/// Returns true if the error needs another connection. A manager reconnects by itself only after network
/// errors: it would stay refused after a failed login, and stay with a primary that was demoted.
fn needs_another_connection(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::ReadOnly)
    )
}

fn manager(client: &Client) -> RedisResult<ConnectionManager> {
    // Every command tries once; the next command is the retry.
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(CONNECT_WITHIN))
        .set_response_timeout(Some(ANSWER_WITHIN));
    ConnectionManager::new_lazy_with_config(client.clone(), config)
}

/// Returns the reason without details that only operators may see.
fn reason(error: &RedisError) -> String {
    error.code().unwrap_or_else(|| error.category()).to_owned()
}

fn tcp_settings() -> TcpSettings {
    let settings = TcpSettings::default().set_nodelay(true);
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(LOST_AFTER);
    settings
}
