//! Caller of webhook endpoints.

use std::sync::Arc;

use adapters_http::outbound::webhooks::{HttpWebhooks, TIMEOUT, WebhookSettings};
use tokio::runtime::Handle;

use super::StartError;
use crate::{config::Config, webhook_pool::WebhookWaker};

/// Caller of endpoints, and its waker.
#[derive(Clone)]
pub(super) struct Webhooks {
    pub(super) caller: Arc<HttpWebhooks>,
    pub(super) waker: Arc<WebhookWaker>,
}

impl Webhooks {
    /// Creates the caller, whose connections live on the current runtime.
    pub(super) fn new(config: &Config) -> Result<Self, StartError> {
        let allow_private = config.webhooks.allow_private;
        let settings = WebhookSettings { allow_private, timeout: TIMEOUT };
        let caller = Arc::new(HttpWebhooks::new(settings, Handle::current())?);
        Ok(Self { caller, waker: Arc::default() })
    }
}
