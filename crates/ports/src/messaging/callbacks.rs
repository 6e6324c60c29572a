//! What vendors and recipients told us on their own, and whom it concerns.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::suppression::OptOut,
    identity::organization::Organization,
    messaging::{
        callback::{Inbound, MessageRef},
        delivery::{DeliveryEvent, Failure},
        message::Message,
    },
    providers::provider::Report,
    shared::{
        address::Address,
        channel::Channel,
        id::{Id, Unowned},
    },
};

use crate::shared::store::StoreError;

/// Keeps what callbacks said until it can be used.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CallbackRepository: Send + Sync {
    /// The messages that a provider names, in the order of `named`; `None` where nobody knows one.
    /// What many callers ask at the same time is read together.
    async fn resolve(
        &self,
        provider: &str,
        named: &[MessageRef],
    ) -> Result<Vec<Option<Message>>, StoreError>;

    /// Notes in a message's attempts that a provider gave it up after it took it, or may have taken
    /// it. The message stays as it is.
    async fn close_attempts(
        &self,
        organization: Id<Organization>,
        message: Id<Message>,
        provider: &str,
        failure: &Failure,
    ) -> Result<(), StoreError>;

    /// Keeps reports on messages that nobody knows yet, in their order.
    async fn keep_early(
        &self,
        provider: &str,
        reports: &[EarlyReport],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Kept reports on messages that are known by now, in the order in which they came, those up to
    /// and including `last` left out. Those that came after `recent` are looked at once more: their
    /// messages may have become known while they were being kept.
    async fn matched(
        &self,
        recent: DateTime<Utc>,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError>;

    /// Forgets kept reports.
    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError>;

    /// Forgets some of the reports that were kept before `before`, and tells of which providers
    /// `most` or more are kept still.
    async fn forget_old(
        &self,
        before: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<String>, StoreError>;

    /// Notes that somebody wrote to a provider, which opens a session.
    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError>;

    /// When somebody last wrote to a provider.
    async fn last_heard(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// The organizations that have written to an address through a provider.
    async fn senders_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Puts an address on an organization's suppression list and tells the organization, unless it is
    /// there for the same.
    async fn suppress(&self, opt_out: &OptOut) -> Result<(), StoreError>;

    /// Takes an address off an organization's suppression list for one channel, as far as its owner's
    /// `START` lifts that.
    async fn unsuppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError>;
}

/// A report on a message that nobody knows yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlyReport {
    /// What the provider calls the message.
    pub reference: String,
    /// What happened to it.
    pub event: DeliveryEvent,
}

/// A report that was kept, with the message it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedReport {
    /// Which kept report this is.
    pub id: Id<MatchedReport>,
    /// The report.
    pub report: Report,
}

/// It is kept before anybody knows whose message it is on.
impl Unowned for MatchedReport {}
