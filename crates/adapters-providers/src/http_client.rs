//! HTTP client shared by all vendors.

use std::{error::Error, sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::messaging::{
    delivery::{Failure, FailureCode},
    outcome::Outcome,
    retry::retry_after,
};
use ports::shared::clock::Clock;
use reqwest::{
    RequestBuilder, Response, Url,
    header::{self, HeaderMap},
    redirect,
};

use crate::{answer::Answer, declaration::DEFAULT_TIMEOUT, verdict::unknown};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shorter than the 60 s after which common servers close an idle connection, so that no request is
/// written to a connection that is about to close.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of bytes read of a response.
const MAX_ANSWER: usize = 64 * 1024;

/// Shared client with TLS, time-outs, no redirects and no proxies. Clones share connections.
#[derive(Clone)]
pub struct HttpClient {
    client: reqwest::Client,
    clock: Arc<dyn Clock>,
}

/// Failure to create the client on this machine.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be made: {0}")]
pub struct HttpClientError(#[from] reqwest::Error);

impl HttpClient {
    /// Creates the client. A `Retry-After` with a date is counted from the time of `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Result<Self, HttpClientError> {
        // Fails only if other code has already installed a provider, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("atumpan/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(DEFAULT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self { client, clock })
    }

    /// Builds a POST request for [`call`](Self::call).
    pub(crate) fn post(&self, url: Url) -> RequestBuilder {
        self.client.post(url)
    }

    /// Builds a request for [`call`](Self::call) that changes nothing.
    pub(crate) fn get(&self, url: Url) -> RequestBuilder {
        self.client.get(url)
    }

    /// Executes a request, which may take `timeout` including its response. The error is the
    /// outcome if there is no readable response.
    pub(crate) async fn call(
        &self,
        request: RequestBuilder,
        timeout: Duration,
    ) -> Result<Answer, Outcome> {
        let response = request
            .timeout(timeout)
            .send()
            .await
            .map_err(|error| outcome_without_answer(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let retry_after = self.retry_after(&headers);
        let body = match read(response, MAX_ANSWER).await {
            // The status is sufficient.
            None if !status.is_success() => Vec::new(),
            body => body.ok_or_else(|| unknown("the provider's answer could not be read"))?,
        };
        Ok(Answer { status, retry_after, headers, body })
    }

    /// Returns the time to wait that the headers of a response ask for.
    pub(crate) fn retry_after(&self, headers: &HeaderMap) -> Option<TimeDelta> {
        retry_after(headers.get(header::RETRY_AFTER)?.to_str().ok()?, self.clock.now())
    }
}

/// Returns the outcome of a call without a response.
fn outcome_without_answer(error: &reqwest::Error) -> Outcome {
    let not_accepted = |message| Outcome::NotAccepted {
        failure: Failure::new(FailureCode::ProviderUnavailable, message),
        retry_after: None,
    };
    // Neither the URL of the error, which may contain a key, nor its text is for tenants.
    tracing::debug!(cause = cause(error), "a call to a provider failed");
    if error.is_builder() {
        not_accepted("the request to the provider could not be made")
    } else if error.is_dns() {
        not_accepted("the provider's name could not be resolved")
    } else if error.is_connect() && error.is_timeout() {
        not_accepted("connecting to the provider took too long")
    } else if error.is_connect() {
        not_accepted("the provider could not be connected to")
    } else if error.is_timeout() {
        unknown("the provider did not answer in time")
    } else {
        unknown("the connection to the provider broke")
    }
}

/// Returns the text of the innermost error, from the system or the TLS library.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    // The outermost error would contain the URL.
    error.source().map_or_else(|| "unknown".to_owned(), |_| innermost.to_string())
}

/// Reads the body; `None` if it is cut short or longer than `most` bytes.
pub(crate) async fn read(mut response: Response, most: usize) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > most {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}
