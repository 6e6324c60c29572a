//! Messaging providers.

use async_trait::async_trait;
use domain::{
    message::Message,
    provider::{LookUp, Outcome, Report},
};

/// Carries messages of one channel.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait MessagingProvider: Send + Sync {
    /// Hands a message over. Every way in which that can end is an [`Outcome`], and it ends within
    /// the provider's time-out.
    async fn send(&self, message: &Message) -> Outcome;

    /// Asks what became of a message that was handed over.
    async fn look_up(&self, message: &Message) -> LookUp;
}

/// Takes the reports that providers make on their own.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ReportSink: Send + Sync {
    /// Takes a report. One that is lost is made up for by [`MessagingProvider::look_up`].
    async fn report(&self, report: Report);
}
