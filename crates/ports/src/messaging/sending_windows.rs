//! Sending windows.

use async_trait::async_trait;
use domain::{
    messaging::sending_window::SendingWindow,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps sending windows.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SendingWindowRepository: Send + Sync {
    /// A page of all windows, newest first.
    async fn page(&self, page: Page) -> Result<Paged<SendingWindow>, StoreError>;

    /// The windows that count.
    async fn active(&self) -> Result<Vec<SendingWindow>, StoreError>;

    /// Looks a window up.
    async fn find(&self, id: Id<SendingWindow>) -> Result<Option<SendingWindow>, StoreError>;

    /// Adds a window.
    async fn insert(&self, window: &SendingWindow) -> Result<(), StoreError>;

    /// Replaces a window; false if it is gone.
    async fn update(&self, window: &SendingWindow) -> Result<bool, StoreError>;

    /// Removes a window; false if it is gone.
    async fn delete(&self, id: Id<SendingWindow>) -> Result<bool, StoreError>;
}
