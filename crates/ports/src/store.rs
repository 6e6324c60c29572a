//! Access to everything that is kept, inside or outside a transaction.

use std::error::Error as StdError;

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    api_keys::ApiKeyRepository,
    auth::UserRepository,
    billing::{PricingRepository, WalletRepository},
    delivery_logs::DeliveryLogRepository,
    organizations::OrganizationRepository,
    templates::TemplateRepository,
};

/// The durable memory of the service.
#[async_trait]
pub trait Store: Send + Sync {
    /// Opens a session in which every call stands alone. Meant for reads.
    async fn connect(&self) -> Result<Box<dyn Repositories>, StoreError>;

    /// Opens a session in which all calls take effect together, on commit.
    async fn begin(&self) -> Result<Box<dyn Transaction>, StoreError>;
}

/// One repository for each kind of thing that is kept.
pub trait Repositories: Send {
    /// API keys.
    fn api_keys(&mut self) -> &mut dyn ApiKeyRepository;
    /// The delivery log.
    fn delivery_logs(&mut self) -> &mut dyn DeliveryLogRepository;
    /// Organizations and their members.
    fn organizations(&mut self) -> &mut dyn OrganizationRepository;
    /// Prices and plans.
    fn pricing(&mut self) -> &mut dyn PricingRepository;
    /// Templates.
    fn templates(&mut self) -> &mut dyn TemplateRepository;
    /// Users and how they sign in.
    fn users(&mut self) -> &mut dyn UserRepository;
    /// Wallets.
    fn wallets(&mut self) -> &mut dyn WalletRepository;
}

/// A session whose effects are all or nothing. Dropping it undoes them.
#[async_trait]
pub trait Transaction: Repositories {
    /// Makes the effects durable.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}

/// Why the store could not do as told.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Something like it is already kept.
    #[error("`{constraint}` is already taken")]
    Conflict {
        /// The name of the uniqueness rule that was hit.
        constraint: String,
    },
    /// The store cannot be reached or is overloaded; trying again may help.
    #[error("the store is unavailable")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
    /// Anything else: a bug, or data we cannot read back.
    #[error("the store failed")]
    Internal(#[source] Box<dyn StdError + Send + Sync>),
}
