//! Store in memory.

use std::sync::Arc;

use adapters_memory::MemoryStore;
use async_trait::async_trait;
use domain::identity::organization::Organization;
use ports::{
    messaging::messages::LocalQueue,
    providers::provider::ProviderRegistry,
    shared::{clock::Clock, nobody::Nobody, store::StoreError},
};
use runtime::{
    background::Task, delivery_pool::Workers, signals::OwnSignals, supervisor::Supervisor,
};

use crate::store::{Accepting, OpenStore, StorePorts};

/// Store in memory, for this process alone.
pub(crate) struct Memory {
    store: MemoryStore,
}

impl Memory {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { store: MemoryStore::new(clock) }
    }
}

#[async_trait]
impl OpenStore for Memory {
    fn registry(&self) -> Arc<dyn ProviderRegistry> {
        Arc::new(self.store.clone())
    }

    fn accept(&self, queue: Arc<dyn LocalQueue>) -> Accepting {
        let store = Arc::new(self.store.clone().with_local_queue(queue));
        let ports = StorePorts {
            intake: Arc::clone(&store) as _,
            jobs: Arc::clone(&store) as _,
            own_leases: Arc::new(Nobody),
            delivery_logs: Arc::clone(&store) as _,
            scheduled_messages: None,
            callbacks: Arc::clone(&store) as _,
            devices: Arc::new(Nobody),
            templates: Arc::clone(&store) as _,
            organizations: Arc::clone(&store) as _,
            wallets: Arc::clone(&store) as _,
            pricing: store,
        };
        Accepting { ports, writers: Supervisor::default() }
    }

    #[cfg(feature = "providers")]
    async fn callback_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        Ok(proposed.to_vec())
    }

    async fn join(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn background(&self, _: Workers, _: Arc<OwnSignals>, _: &mut Supervisor) -> Vec<Task> {
        Vec::new()
    }

    async fn insert_organization(&self, organization: &Organization) -> Result<(), StoreError> {
        self.store.put_organization(organization.clone());
        Ok(())
    }

    async fn leave(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
