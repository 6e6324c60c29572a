//! States of providers, as the follower of changes keeps them current.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ports::{
    providers::provider::ProviderRegistry,
    shared::{changes::Changes, signals::Change, store::StoreError},
};

use super::Providers;
use crate::shared::change_follower::FollowedCache;

/// States of providers with a registry of their own, whose reads do not wait for requests.
pub struct FollowedStates {
    providers: Arc<Providers>,
    registry: Arc<dyn ProviderRegistry>,
}

impl FollowedStates {
    /// Lets the states of `providers` be read from `registry`, which all instances share.
    pub fn new(providers: Arc<Providers>, registry: Arc<dyn ProviderRegistry>) -> Self {
        Self { providers, registry }
    }
}

#[async_trait]
impl FollowedCache for FollowedStates {
    fn kind(&self) -> Change {
        Change::Providers
    }

    async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
        let states = self.providers.states();
        if changes.are_none() {
            states.adopt(read_at);
            return Ok(());
        }
        states.refresh_through(&*self.registry, read_at).await
    }
}
