//! Segments.

use async_trait::async_trait;
use domain::{
    audience::{
        contact::Contact,
        segment::{CountedSegment, Preview, Rules, Segment, SegmentName},
    },
    identity::organization::Organization,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Why rules could not be evaluated.
#[derive(Debug, Error)]
pub enum EvaluationError {
    /// It took longer than anybody should wait.
    #[error("the rules take too long to evaluate")]
    TooSlow,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps segments, and finds out who belongs to them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SegmentRepository: Send + Sync {
    /// A page of an organization's segments, newest first, with their counts as of now. Of an
    /// organization with many contacts these may be a minute old, or older if that takes too long.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<CountedSegment>, StoreError>;

    /// A segment with its count, as [`page`](Self::page) tells it.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Option<CountedSegment>, StoreError>;

    /// A segment, without anybody counting.
    async fn look_up(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Option<Segment>, StoreError>;

    /// Names of an organization's segments, without anybody counting.
    async fn names(&self, organization: Id<Organization>) -> Result<Vec<SegmentName>, StoreError>;

    /// Adds a segment. If it is not dynamic, whoever fits now is its member from then on. None if the
    /// organization has as many as it may have.
    async fn insert(&self, segment: &Segment) -> Result<Option<CountedSegment>, EvaluationError>;

    /// Writes the name, the description and the rules of a segment. None if there is none.
    async fn update(&self, segment: &Segment) -> Result<Option<CountedSegment>, EvaluationError>;

    /// Deletes a segment that no unfinished campaign is for.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Deleted, StoreError>;

    /// What rules come to.
    async fn preview(
        &self,
        organization: Id<Organization>,
        rules: &Rules,
    ) -> Result<Preview, EvaluationError>;
}

/// What became of a segment that was to be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// It is gone.
    Done,
    /// There is no such segment.
    Missing,
    /// A campaign that has not ended is for it.
    InUse,
}

/// Whom something is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// The members of a segment.
    Segment(&'a Segment),
    /// Whoever fits these rules.
    Rules(&'a Rules),
    /// The members of a segment that is not dynamic.
    Members(Id<Segment>),
    /// All contacts.
    Everybody,
}

/// Walks over the contacts of an audience.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AudienceRepository: Send + Sync {
    /// The first `limit` contacts of an audience after `after`, in the order of their identifiers.
    /// Fewer than `limit` only if no more follow.
    async fn members_after<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError>;

    /// How many contacts of an audience have identifiers below `until`.
    async fn count_until<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        until: Id<Contact>,
    ) -> Result<u64, EvaluationError>;
}
