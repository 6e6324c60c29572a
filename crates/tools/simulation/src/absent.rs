//! Ports without contents in every world: sending windows, and devices.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::sending_window::SendingWindow,
    shared::{
        address::Address,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::contacts::DeviceTokens, messaging::sending_windows::SendingWindowRepository,
    shared::store::StoreError,
};

/// Empty store of sending windows and devices.
pub(crate) struct Absent;

impl Absent {
    fn refusal() -> StoreError {
        StoreError::Internal("there are no sending windows here".into())
    }
}

#[async_trait]
impl SendingWindowRepository for Absent {
    async fn page(&self, page: Page) -> Result<Paged<SendingWindow>, StoreError> {
        Ok(Paged::counted(Vec::new(), page, 0))
    }

    async fn active(&self) -> Result<Vec<SendingWindow>, StoreError> {
        Ok(Vec::new())
    }

    async fn find(&self, _id: Id<SendingWindow>) -> Result<Option<SendingWindow>, StoreError> {
        Ok(None)
    }

    async fn insert(&self, _window: &SendingWindow) -> Result<(), StoreError> {
        Err(Self::refusal())
    }

    async fn update(&self, _window: &SendingWindow) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn delete(&self, _id: Id<SendingWindow>) -> Result<bool, StoreError> {
        Ok(false)
    }
}

#[async_trait]
impl DeviceTokens for Absent {
    async fn forget_device_token(
        &self,
        _organization: Id<Organization>,
        _token: &Address,
    ) -> Result<(), StoreError> {
        Ok(())
    }
}
