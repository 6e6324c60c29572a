//! Recipients of campaigns, and what became of them.
//!
//! ```
//! use domain::{
//!     identity::organization::Organization,
//!     outreach::campaign::{RecipientFilter, RecipientsOf},
//!     shared::id::Id,
//! };
//! use ports::{
//!     outreach::campaign_recipients::{CampaignRecipientRepository, RecipientPart},
//!     shared::store::StoreError,
//! };
//!
//! async fn first(
//!     recipients: &dyn CampaignRecipientRepository,
//!     shop: Id<Organization>,
//!     of: RecipientsOf,
//!     filter: RecipientFilter,
//! ) -> Result<RecipientPart, StoreError> {
//!     recipients.recipients(shop, of, filter, None, 20).await
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    outreach::campaign::{CampaignRecipient, RecipientFilter, RecipientPlace, RecipientsOf},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Part of the recipients of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientPart {
    /// Recipients of the part.
    pub recipients: Vec<CampaignRecipient>,
    /// Place at which the next part begins; `None` at the end. It need not be that of a recipient of
    /// the part, which is short or empty if too many that do not fit come first.
    pub next: Option<RecipientPlace>,
}

/// Reads the recipients of campaigns. They are written with the messages of the campaign
/// ([`Advance::Campaign`](crate::messaging::messages::Advance::Campaign)).
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CampaignRecipientRepository: Send + Sync {
    /// Returns up to `limit` recipients that fit a filter after a place, or from the beginning, after a
    /// look at a limited number of messages.
    async fn recipients(
        &self,
        organization: Id<Organization>,
        of: RecipientsOf,
        filter: RecipientFilter,
        after: Option<RecipientPlace>,
        limit: usize,
    ) -> Result<RecipientPart, StoreError>;
}
