//! Stores, and the ports that they implement.

use std::sync::Arc;

use async_trait::async_trait;
use domain::identity::organization::Organization;
use ports::{
    audience::contacts::DeviceTokens,
    content::templates::TemplateRepository,
    identity::organizations::OrganizationRepository,
    messaging::{
        callbacks::CallbackRepository,
        delivery_logs::DeliveryLogRepository,
        messages::{Intake, Jobs, LocalQueue, OwnLeases},
        scheduled_messages::ScheduledMessageRepository,
    },
    money::{billing::WalletRepository, pricing::PricingRepository},
    providers::provider::ProviderRegistry,
    shared::store::StoreError,
};
use runtime::{
    background::Task, delivery_pool::Workers, signals::OwnSignals, supervisor::Supervisor,
};

/// Place where messages, jobs, prices and wallets are kept.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Store {
    /// Memory of this process, which is lost when it ends.
    #[default]
    Memory,
    /// Database at this address, such as `postgres://user:password@host:5432/name`. It is migrated at the
    /// start. Any number of processes may share it.
    #[cfg(feature = "postgres")]
    Postgres(String),
}

/// Ports of the store, for what the facade has no method for.
#[derive(Clone)]
#[non_exhaustive]
pub struct StorePorts {
    /// Acceptance of messages.
    pub intake: Arc<dyn Intake>,
    /// Jobs of accepted messages.
    pub jobs: Arc<dyn Jobs>,
    /// Leases of this process.
    pub own_leases: Arc<dyn OwnLeases>,
    /// Messages and their states.
    pub delivery_logs: Arc<dyn DeliveryLogRepository>,
    /// Scheduled messages that are to be made due; `None` if the store does so by itself.
    pub scheduled_messages: Option<Arc<dyn ScheduledMessageRepository>>,
    /// Reports and texts of vendors.
    pub callbacks: Arc<dyn CallbackRepository>,
    /// Push tokens of contacts.
    pub devices: Arc<dyn DeviceTokens>,
    /// Templates.
    pub templates: Arc<dyn TemplateRepository>,
    /// Organizations.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Wallets.
    pub wallets: Arc<dyn WalletRepository>,
    /// Prices.
    pub pricing: Arc<dyn PricingRepository>,
}

/// Ports of a store, with the tasks that write for them.
pub(crate) struct Accepting {
    pub(crate) ports: StorePorts,
    /// Tasks that end last.
    pub(crate) writers: Supervisor,
}

/// Open store.
#[async_trait]
pub(crate) trait OpenStore: Send + Sync {
    /// Returns the store of the states of providers.
    fn registry(&self) -> Arc<dyn ProviderRegistry>;

    /// Begins to accept messages. `queue` takes over what workers of this process deliver.
    fn accept(&self, queue: Arc<dyn LocalQueue>) -> Accepting;

    /// Returns the key from which the tokens in the addresses of callbacks are derived: the one that is kept,
    /// or else the proposed one.
    #[cfg(feature = "providers")]
    async fn callback_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError>;

    /// Announces this process to those that share the store.
    async fn join(&self) -> Result<(), StoreError>;

    /// Starts what is not repeated in turns, and returns the tasks that are.
    fn background(
        &self,
        workers: Workers,
        signals: Arc<OwnSignals>,
        tasks: &mut Supervisor,
    ) -> Vec<Task>;

    /// Adds an organization, which is not provisioned yet.
    async fn insert_organization(&self, organization: &Organization) -> Result<(), StoreError>;

    /// Signs this process off, which holds no lease any more.
    async fn leave(&self) -> Result<(), StoreError>;
}
