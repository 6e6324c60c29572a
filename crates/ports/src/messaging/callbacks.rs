//! Storage for reports and texts that vendors and recipients send by callback.
//!
//! ```
//! use domain::messaging::callback::MessageRef;
//! use ports::{messaging::callbacks::CallbackRepository, shared::store::StoreError};
//!
//! async fn is_known(
//!     callbacks: &dyn CallbackRepository,
//!     reference: &str,
//! ) -> Result<bool, StoreError> {
//!     let named = [MessageRef::Vendors(reference.to_owned())];
//!     let found = callbacks.resolve("main", &named).await?;
//!     Ok(found.iter().any(Option::is_some))
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::suppression::OptOut,
    identity::organization::Organization,
    messaging::{
        callback::{Inbound, MessageRef},
        delivery::{DeliveryEvent, Failure},
        message::Message,
        report::Report,
    },
    shared::{
        address::Address,
        channel::Channel,
        id::{Id, Unowned},
    },
};

use crate::shared::store::StoreError;

/// Stores the content of callbacks until it can be applied.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CallbackRepository: Send + Sync {
    /// Returns the messages that a provider refers to, in the order of `named`; `None` for an unknown
    /// reference. Concurrent calls are read together.
    async fn resolve(
        &self,
        provider: &str,
        named: &[MessageRef],
    ) -> Result<Vec<Option<Message>>, StoreError>;

    /// Closes a message's attempts at a provider that gave it up after it accepted it, or may have accepted
    /// it. The message's status does not change.
    async fn close_attempts(
        &self,
        organization: Id<Organization>,
        message: Id<Message>,
        provider: &str,
        failure: &Failure,
    ) -> Result<(), StoreError>;

    /// Stores reports on unknown messages, in their order.
    async fn keep_early(
        &self,
        provider: &str,
        reports: &[EarlyReport],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Returns the stored reports after `last` whose messages are known by now, in order of arrival.
    /// Reports that arrived after `recent` are matched once more: their messages may have become known
    /// while they were being stored.
    async fn matched(
        &self,
        recent: DateTime<Utc>,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError>;

    /// Deletes stored reports.
    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError>;

    /// Deletes some of the reports that were stored before `before`. Returns the providers that have `most`
    /// or more reports left.
    async fn forget_old(
        &self,
        before: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<String>, StoreError>;

    /// Records that a person wrote to a provider, which opens a messaging window.
    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError>;

    /// Returns the time at which the owner of an address last wrote to a provider.
    async fn last_inbound(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Returns the organizations that have written to an address through a provider.
    async fn senders_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError>;

    /// Puts an address on an organization's suppression list and publishes an event, unless the same entry
    /// exists.
    async fn suppress(&self, opt_out: &OptOut) -> Result<(), StoreError>;

    /// Removes an address from an organization's suppression list for one channel, except for entries that
    /// the owner's `START` does not lift.
    async fn unsuppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError>;
}

/// Report on an unknown message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlyReport {
    /// Provider's reference for the message.
    pub reference: String,
    /// Event that the provider reported.
    pub event: DeliveryEvent,
}

/// Stored report with the message it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedReport {
    /// Identifier of the stored report.
    pub id: Id<MatchedReport>,
    /// Report on the message.
    pub report: Report,
}

/// The report is stored before its organization is known.
impl Unowned for MatchedReport {}
