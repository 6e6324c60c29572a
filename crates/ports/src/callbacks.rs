//! What vendors and recipients told us on their own, and whom it concerns.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    callback::{About, Inbound},
    channel::Channel,
    delivery::DeliveryEvent,
    id::Id,
    message::Message,
    organization::Organization,
    provider::Report,
};

use crate::store::StoreError;

/// Keeps what callbacks said until it can be used.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CallbackRepository: Send + Sync {
    /// The message that a provider knows by its own identifier.
    async fn find_message(
        &self,
        provider: &str,
        reference: &str,
    ) -> Result<Option<Id<Message>>, StoreError>;

    /// Keeps a report on a message that nobody knows yet.
    async fn keep_unmatched(
        &self,
        provider: &str,
        about: &About,
        event: &DeliveryEvent,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Kept reports on messages that are known by now, in the order in which they came, those up to
    /// and including `last` left out.
    async fn matched(
        &self,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError>;

    /// Forgets kept reports.
    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError>;

    /// Notes that somebody wrote to a provider, which opens a session.
    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError>;

    /// When somebody last wrote to a provider.
    async fn last_heard(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// The organizations that have written to an address through a provider.
    async fn writers_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Puts an address on an organization's suppression list for one channel, as [`OPTED_OUT`].
    async fn suppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Takes an address that its owner had put on an organization's suppression list off it.
    async fn lift(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError>;
}

/// A report that was kept, with the message it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedReport {
    /// Which kept report this is.
    pub id: Id<MatchedReport>,
    /// The report.
    pub report: Report,
}

/// Why an address is suppressed whose owner asked for it.
pub const OPTED_OUT: &str = "OPTED_OUT";
