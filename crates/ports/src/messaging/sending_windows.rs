//! Sending windows.
//!
//! ```
//! use ports::{messaging::sending_windows::SendingWindowRepository, shared::store::StoreError};
//!
//! async fn are_any(windows: &dyn SendingWindowRepository) -> Result<bool, StoreError> {
//!     Ok(!windows.active().await?.is_empty())
//! }
//! ```

use async_trait::async_trait;
use domain::{
    messaging::sending_window::SendingWindow,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores sending windows.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SendingWindowRepository: Send + Sync {
    /// Returns a page of all windows, newest first.
    async fn page(&self, page: Page) -> Result<Paged<SendingWindow>, StoreError>;

    /// Returns the active windows.
    async fn active(&self) -> Result<Vec<SendingWindow>, StoreError>;

    /// Finds a window.
    async fn find(&self, id: Id<SendingWindow>) -> Result<Option<SendingWindow>, StoreError>;

    /// Adds a window.
    async fn insert(&self, window: &SendingWindow) -> Result<(), StoreError>;

    /// Replaces a window. Returns false if it does not exist.
    async fn update(&self, window: &SendingWindow) -> Result<bool, StoreError>;

    /// Removes a window. Returns false if it does not exist.
    async fn delete(&self, id: Id<SendingWindow>) -> Result<bool, StoreError>;
}
