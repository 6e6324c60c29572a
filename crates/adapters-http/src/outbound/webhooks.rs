//! Calls of webhook endpoints: signed, to public addresses only.

mod failure;
mod names;
mod signatures;
mod target;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::retry,
    shared::id::Id,
    webhooks::webhook::{CallFailure, CallOutcome, WebhookCall, WebhookCallResult},
};
use ports::webhooks::calls::{UrlRefused, WebhookCaller, WebhookUrls};
use reqwest::{
    Body, Client, Method, Request, Response, StatusCode, header::RETRY_AFTER, redirect::Policy,
};
use tokio::{runtime::Handle, time::timeout};

pub use self::names::{Names, NoPlace, SystemNames};
use self::{
    names::{CallableNames, called_for},
    target::{Host, Target},
};

/// Default timeout of a call, including its answer.
pub const TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout of resolving, connecting and TLS together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of resolving a name when a URL is checked.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// Time for which idle connections are kept: shorter than the 5 s after which common servers close
/// theirs, so that no call is written to a connection that is just being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum number of bytes read of an answer, so that its connection can be used again.
const MAX_ANSWER: usize = 64 * 1024;

/// Settings of calls.
#[derive(Debug, Clone, Copy)]
pub struct WebhookSettings {
    /// True if private addresses, those of this machine, and `http` are allowed.
    pub allow_private: bool,
    /// Timeout of a call, including its answer: [`TIMEOUT`], if there is no reason for another.
    pub timeout: Duration,
}

/// Error for an HTTP client that cannot be created on this machine.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be made: {0}")]
pub struct WebhooksError(#[from] reqwest::Error);

/// Calls endpoints, and checks which URLs may be called. All callers share its connections.
pub struct HttpWebhooks {
    caller: Caller,
    /// Resolver for URLs that are checked.
    checked: Arc<dyn Names>,
    runtime: Handle,
}

/// Client and resolver of calls. Clones share connections.
#[derive(Clone)]
struct Caller {
    client: Client,
    settings: WebhookSettings,
}

impl HttpWebhooks {
    /// Creates a client with the names of the system. Connections live on `runtime`, which must
    /// outlive the callers.
    pub fn new(settings: WebhookSettings, runtime: Handle) -> Result<Self, WebhooksError> {
        let names =
            (Arc::new(SystemNames::for_calls()) as _, Arc::new(SystemNames::for_checks()) as _);
        Self::with_names(settings, names, runtime)
    }

    /// Creates a client with other names: those of calls, and those of URLs that are checked.
    pub fn with_names(
        settings: WebhookSettings,
        (called, checked): (Arc<dyn Names>, Arc<dyn Names>),
        runtime: Handle,
    ) -> Result<Self, WebhooksError> {
        // Fails only if another part of the program has installed one, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let resolver = CallableNames::new(called, settings.allow_private);
        let client = Client::builder()
            .user_agent(concat!("atumpan/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(settings.timeout)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .tcp_nodelay(true)
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .dns_resolver(resolver)
            .build()?;
        Ok(Self { caller: Caller { client, settings }, checked, runtime })
    }
}

#[async_trait]
impl WebhookCaller for HttpWebhooks {
    async fn call(&self, call: &WebhookCall) -> WebhookCallResult {
        let started = Instant::now();
        // A connection ends with the runtime on which it was opened, and those of threads that serve
        // requests end early.
        let outcome = if Handle::current().id() == self.runtime.id() {
            self.caller.call(call).await
        } else {
            let (caller, call) = (self.caller.clone(), call.clone());
            let called = self.runtime.spawn(async move { caller.call(&call).await }).await;
            called.unwrap_or(CallOutcome::Failed(CallFailure::Broken))
        };
        let took = TimeDelta::from_std(started.elapsed()).unwrap_or(TimeDelta::MAX);
        WebhookCallResult { outcome, took }
    }
}

#[async_trait]
impl WebhookUrls for HttpWebhooks {
    async fn check(&self, organization: Id<Organization>, url: &str) -> Result<String, UrlRefused> {
        let allow_private = self.caller.settings.allow_private;
        let target = Target::read(url, allow_private)?;
        if let Host::Name(name) = target.host() {
            let found = timeout(CHECK_TIMEOUT, self.checked.addresses(organization, name)).await;
            let found = match found {
                Ok(Ok(found)) => found,
                Ok(Err(NoPlace::OfOrganization)) => return Err(UrlRefused::Busy),
                // The address is checked when it is dialled.
                Ok(Err(NoPlace::OfAll)) | Err(_) => Vec::new(),
            };
            let is_callable = |address| names::is_callable(address, allow_private);
            if !found.is_empty() && !found.into_iter().any(is_callable) {
                return Err(UrlRefused::Address);
            }
        }
        Ok(url.trim().to_owned())
    }
}

impl Caller {
    async fn call(&self, call: &WebhookCall) -> CallOutcome {
        let request = match self.request(call) {
            Ok(request) => request,
            Err(failure) => return CallOutcome::Failed(failure),
        };
        match called_for(call.organization, self.client.execute(request)).await {
            Ok(response) => {
                let status = response.status();
                let retry_after = retry_after(&response, call.at);
                drain(response).await;
                CallOutcome::Answered { status: status.as_u16(), retry_after }
            }
            Err(error) => CallOutcome::Failed(failure::of(&error)),
        }
    }

    fn request(&self, call: &WebhookCall) -> Result<Request, CallFailure> {
        let target = Target::read(&call.url, self.settings.allow_private);
        let target = target.map_err(|refused| match refused {
            UrlRefused::Address => CallFailure::AddressRefused,
            _ => CallFailure::UrlRefused,
        })?;
        let mut request = Request::new(Method::POST, target.into_url());
        let headers = signatures::headers(call);
        *request.headers_mut() = headers.map_err(|_| CallFailure::UrlRefused)?;
        *request.body_mut() = Some(Body::from(call.body.clone()));
        Ok(request)
    }
}

/// Returns the time after which the receiver wants to be called again, if this is an answer that
/// may state it.
fn retry_after(response: &Response, now: DateTime<Utc>) -> Option<TimeDelta> {
    match response.status() {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => {
            retry::retry_after(response.headers().get(RETRY_AFTER)?.to_str().ok()?, now)
        }
        _ => None,
    }
}

/// Reads the rest of a small answer. A large one, or one that does not end, costs its connection.
async fn drain(mut response: Response) {
    let mut left = MAX_ANSWER;
    while let Ok(Some(chunk)) = response.chunk().await {
        match left.checked_sub(chunk.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests;
