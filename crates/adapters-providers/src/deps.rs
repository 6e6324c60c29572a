//! What adapters are made with.

use std::sync::Arc;

use ports::{
    audience::unsubscribes::UnsubscribeLinks, providers::provider::ReportSink, shared::clock::Clock,
};
use tokio::runtime::Handle;

use crate::http_client::HttpClient;

/// What adapters are made with.
pub struct Deps {
    /// The client that all vendors over HTTP share.
    pub http: HttpClient,
    /// Takes the reports of simulated providers.
    pub reports: Arc<dyn ReportSink>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where vendors reach this service, without a slash at the end.
    pub public_url: String,
    /// Makes the links by which recipients unsubscribe.
    pub links: Arc<dyn UnsubscribeLinks>,
    /// The most messages that each provider may have in hand at a time: on their way, or waiting for
    /// their turn.
    pub most_in_flight: usize,
    /// Where calls to vendors run: it must outlive those who make them.
    pub runtime: Handle,
}
