//! Whom organizations write to.

use async_trait::async_trait;
use domain::{address::Address, id::Id, organization::Organization};

use crate::store::StoreError;

/// The devices of contacts, as far as delivery is concerned with them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeviceTokens: Send + Sync {
    /// Takes a push token that leads to no device any more from the contacts of an organization.
    async fn forget_device_token(
        &self,
        organization: Id<Organization>,
        token: &Address,
    ) -> Result<(), StoreError>;
}
