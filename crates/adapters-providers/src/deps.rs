//! Dependencies of the adapters.

use std::sync::Arc;

use ports::{
    audience::unsubscribes::UnsubscribeLinks, providers::provider::ReportSink, shared::clock::Clock,
};
use tokio::runtime::Handle;

use crate::http_client::HttpClient;

/// Dependencies of the adapters.
pub struct Deps {
    /// HTTP client shared by all vendors.
    pub http: HttpClient,
    /// Sink for the reports of simulated providers.
    pub reports: Arc<dyn ReportSink>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Public address of this service, without a trailing slash.
    pub public_url: String,
    /// Key from which the tokens of callbacks are derived.
    pub callback_key: Vec<u8>,
    /// Source of unsubscribe links.
    pub links: Arc<dyn UnsubscribeLinks>,
    /// Maximum number of messages in flight per provider, those that wait for a permit included.
    pub most_in_flight: usize,
    /// Runtime for calls to vendors. It must outlive the callers.
    pub runtime: Handle,
}
