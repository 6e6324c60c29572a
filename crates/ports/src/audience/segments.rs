//! Segments.
//!
//! ```
//! use domain::{audience::segment::Segment, identity::organization::Organization, shared::id::Id};
//! use ports::{audience::segments::SegmentRepository, shared::store::StoreError};
//!
//! async fn size(
//!     segments: &dyn SegmentRepository,
//!     shop: Id<Organization>,
//!     id: Id<Segment>,
//! ) -> Result<Option<u64>, StoreError> {
//!     let found = segments.find(shop, id).await?;
//!     Ok(found.map(|counted| counted.contacts))
//! }
//! ```

use async_trait::async_trait;
use domain::{
    audience::{
        contact::Contact,
        segment::{CountedSegment, Preview, Rules, Segment, SegmentName},
    },
    identity::organization::Organization,
    messaging::message::CampaignId,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Reason why rules could not be evaluated.
#[derive(Debug, Error)]
pub enum EvaluationError {
    /// The evaluation exceeded its time limit.
    #[error("the rules take too long to evaluate")]
    TooSlow,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores segments, and evaluates which contacts belong to them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SegmentRepository: Send + Sync {
    /// Returns a page of an organization's segments, newest first, with their current counts. Counts of an
    /// organization with many contacts may be a minute old, or older if counting takes too long.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<CountedSegment>, StoreError>;

    /// Finds a segment with its count, which is as old as those of [`page`](Self::page).
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Option<CountedSegment>, StoreError>;

    /// Finds a segment without counting it.
    async fn look_up(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Option<Segment>, StoreError>;

    /// Returns the names of an organization's segments without counting them.
    async fn names(&self, organization: Id<Organization>) -> Result<Vec<SegmentName>, StoreError>;

    /// Adds a segment. If it is not dynamic, the contacts that match now become its members. `None` if the
    /// organization has as many segments as it may have.
    async fn insert(&self, segment: &Segment) -> Result<Option<CountedSegment>, EvaluationError>;

    /// Writes the name, the description and the rules of a segment. `None` if there is no such segment.
    async fn update(&self, segment: &Segment) -> Result<Option<CountedSegment>, EvaluationError>;

    /// Deletes a segment, unless an unfinished campaign uses it.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Deleted, StoreError>;

    /// Evaluates rules.
    async fn preview(
        &self,
        organization: Id<Organization>,
        rules: &Rules,
    ) -> Result<Preview, EvaluationError>;

    /// Returns those of the campaigns that the organization does not have.
    async fn unknown_campaigns(
        &self,
        organization: Id<Organization>,
        campaigns: &[CampaignId],
    ) -> Result<Vec<CampaignId>, StoreError>;

    /// Returns the names of the attributes that the newest contacts have.
    async fn attribute_names(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<String>, StoreError>;
}

/// Result of deleting a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// Deleted.
    Done,
    /// The segment does not exist.
    Missing,
    /// An unfinished campaign uses it.
    InUse,
}

/// Selection of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// Members of a segment.
    Segment(&'a Segment),
    /// Contacts that match these rules.
    Rules(&'a Rules),
    /// Members of a segment that is not dynamic.
    Members(Id<Segment>),
    /// All contacts.
    Everybody,
}

/// Iterates over the contacts of an audience.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AudienceRepository: Send + Sync {
    /// Returns the first `limit` contacts of an audience after `after`, in the order of their identifiers.
    /// Fewer than `limit` only if no more follow.
    async fn members_after<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError>;

    /// Returns the number of contacts of an audience with identifiers below `until`.
    async fn count_until<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        until: Id<Contact>,
    ) -> Result<u64, EvaluationError>;
}
