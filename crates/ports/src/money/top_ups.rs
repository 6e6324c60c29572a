//! Top-ups.
//!
//! ```
//! use domain::money::top_up::{TopUpReference, TopUpStatus};
//! use ports::{money::top_ups::TopUpRepository, shared::store::StoreError};
//!
//! async fn status(
//!     top_ups: &dyn TopUpRepository,
//!     reference: &TopUpReference,
//! ) -> Result<Option<TopUpStatus>, StoreError> {
//!     let found = top_ups.find(reference).await?;
//!     Ok(found.map(|top_up| top_up.status))
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    money::{
        top_up::{TopUp, TopUpReference, TopUpStatus},
        wallet::{Credit, Credited},
    },
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores top-ups.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TopUpRepository: Send + Sync {
    /// Adds a pending top-up, which is checked at the gateway at `check_at`. Returns false, and adds
    /// nothing, if the organization has `most` pending ones.
    async fn insert(
        &self,
        top_up: &TopUp,
        check_at: Option<DateTime<Utc>>,
        most: usize,
    ) -> Result<bool, StoreError>;

    /// Returns a page of an organization's top-ups, newest first: those of one status, or all for `None`.
    async fn page(
        &self,
        organization: Id<Organization>,
        status: Option<TopUpStatus>,
        page: Page,
    ) -> Result<Paged<TopUp>, StoreError>;

    /// Finds a top-up of any organization by its reference.
    async fn find(&self, reference: &TopUpReference) -> Result<Option<TopUp>, StoreError>;

    /// Stores the address of the page where a top-up is paid.
    async fn keep_checkout(&self, top_up: &TopUp, url: &str) -> Result<(), StoreError>;

    /// Returns the address of the page where a top-up is paid; `None` if none is known.
    async fn checkout(&self, top_up: &TopUp) -> Result<Option<String>, StoreError>;

    /// Credits the wallet of a top-up and marks it as credited, all or nothing. Changes nothing if that was
    /// done before. The wallet stays as it is if it was credited by hand for the same reference.
    async fn credit(&self, top_up: &TopUp, credit: &Credit) -> Result<Credited, StoreError>;

    /// Gives a pending top-up a final status. It is not checked any more.
    async fn close(&self, top_up: &TopUp, status: TopUpStatus) -> Result<(), StoreError>;

    /// Takes pending top-ups that are to be checked at the gateway at `now`. No other caller gets them
    /// until `lease` is over.
    async fn take_due(
        &self,
        now: DateTime<Utc>,
        lease: TimeDelta,
        limit: usize,
    ) -> Result<Vec<TopUp>, StoreError>;

    /// Schedules another check of a pending top-up at the gateway.
    async fn check_again(&self, top_up: &TopUp, at: DateTime<Utc>) -> Result<(), StoreError>;
}
