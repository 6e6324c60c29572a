//! Top-ups.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::money::{
    top_up::{TopUp, TopUpReference, TopUpStatus},
    wallet::{Credit, Credited},
};

use crate::shared::store::StoreError;

/// Keeps top-ups.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TopUpRepository: Send + Sync {
    /// Adds a pending top-up, about which the gateway is asked at `check_at`. Returns false, and adds
    /// nothing, if the organization has `most` pending ones.
    async fn insert(
        &self,
        top_up: &TopUp,
        check_at: Option<DateTime<Utc>>,
        most: usize,
    ) -> Result<bool, StoreError>;

    /// Finds the top-up of a reference, whoever's it is.
    async fn find(&self, reference: &TopUpReference) -> Result<Option<TopUp>, StoreError>;

    /// Credits the wallet of a top-up and marks it as credited, all or nothing. If that was done before
    /// nothing changes.
    async fn credit(&self, top_up: &TopUp, credit: &Credit) -> Result<Credited, StoreError>;

    /// Gives a pending top-up another status, under which nobody asks about it any more.
    async fn close(&self, top_up: &TopUp, status: TopUpStatus) -> Result<(), StoreError>;

    /// Takes pending top-ups about which the gateway is to be asked at `now`. Nobody else gets them
    /// until `lease` is over.
    async fn take_due(
        &self,
        now: DateTime<Utc>,
        lease: TimeDelta,
        limit: usize,
    ) -> Result<Vec<TopUp>, StoreError>;

    /// Has the gateway asked again about a pending top-up.
    async fn check_again(&self, top_up: &TopUp, at: DateTime<Utc>) -> Result<(), StoreError>;
}
