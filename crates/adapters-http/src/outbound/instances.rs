//! Requests to addresses that should lead to an instance of this service.

use std::{error::Error, iter, time::Duration};

use reqwest::{Client, Response, redirect::Policy};
use serde_json::Value;

/// Maximum number of bytes read of an answer.
const MAX_ANSWER: usize = 16 * 1024;

/// Caller of instances, over the same ways as other clients: their addresses may lead through proxies.
pub struct InstanceProbe {
    client: Client,
}

/// Failure to create the caller on this machine.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be made: {0}")]
pub struct InstanceProbeError(#[from] reqwest::Error);

/// Party that answered a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answerer {
    /// An instance of this service.
    Instance,
    /// Another program, with this status.
    Other(u16),
}

impl InstanceProbe {
    /// Creates a caller whose requests take at most `timeout`.
    pub fn new(timeout: Duration) -> Result<Self, InstanceProbeError> {
        // Fails only if another part of the program has installed one, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("atumpan/", env!("CARGO_PKG_VERSION")))
            .timeout(timeout)
            .redirect(Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self { client })
    }

    /// Requests the liveness of the instance at an address, which has no slash at its end. The error is the
    /// reason why there is no answer.
    pub async fn live(&self, address: &str) -> Result<Answerer, String> {
        self.get(&format!("{address}/health/live"), |answer| answer["status"] == "ok").await
    }

    /// Requests the path of a provider's callbacks without the proof that vendors add, so that the instance
    /// refuses it.
    pub async fn callback(&self, address: &str, provider: &str) -> Result<Answerer, String> {
        let url = format!("{address}/callbacks/providers/{provider}");
        self.get(&url, |answer| answer["success"].is_boolean()).await
    }

    async fn get(&self, url: &str, is_ours: fn(&Value) -> bool) -> Result<Answerer, String> {
        let response = self.client.get(url).send().await.map_err(|error| cause(&error))?;
        let status = response.status().as_u16();
        let is_instance = read(response).await.is_some_and(|answer| is_ours(&answer));
        Ok(if is_instance { Answerer::Instance } else { Answerer::Other(status) })
    }
}

/// Reads the body; `None` if it is no JSON, cut short or too long.
async fn read(mut response: Response) -> Option<Value> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&body).ok()
}

/// Returns the text of the innermost error, from the system or the TLS library.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "there is no answer in time".to_owned();
    }
    let first: &(dyn Error + 'static) = error;
    let innermost = iter::successors(Some(first), |error| (**error).source()).last();
    innermost.map(ToString::to_string).unwrap_or_default()
}
