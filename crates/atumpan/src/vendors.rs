//! Providers that are declared by the name of their vendor.

use std::sync::Arc;

use adapters_providers::{Declaration, Deps, HttpClient, build};
use ports::{
    providers::provider::ReportSink,
    shared::{clock::Clock, nobody::Nobody, random::Random},
};
use runtime::delivery_pool::most_in_flight;
use tokio::runtime::Handle;
use usecases::providers::provider_registry::ConfiguredProvider;

use crate::{error::BuildError, store::OpenStore};

/// Declarations, with the address at which vendors find this program.
#[derive(Default)]
pub(crate) struct Declarations {
    pub(crate) declared: Vec<Declaration>,
    pub(crate) public_url: String,
    /// Key of the tokens of callbacks; `None` leaves it to the store.
    pub(crate) callback_key: Option<Vec<u8>>,
}

/// Parts around the providers that are built.
pub(crate) struct Surroundings<'s> {
    pub(crate) store: &'s dyn OpenStore,
    pub(crate) reports: Arc<dyn ReportSink>,
    pub(crate) clock: &'s Arc<dyn Clock>,
    pub(crate) random: &'s dyn Random,
    pub(crate) workers: usize,
}

impl Declarations {
    /// Builds the providers, on the current runtime.
    pub(crate) async fn build(
        self,
        around: Surroundings<'_>,
    ) -> Result<Vec<ConfiguredProvider>, BuildError> {
        if self.declared.is_empty() {
            return Ok(Vec::new());
        }
        let callback_key = match self.callback_key {
            Some(key) => key,
            None => around.store.callback_key(around.random.secret()).await?,
        };
        let deps = Deps {
            http: HttpClient::new(Arc::clone(around.clock))?,
            reports: around.reports,
            clock: Arc::clone(around.clock),
            public_url: self.public_url,
            callback_key,
            links: Arc::new(Nobody),
            most_in_flight: most_in_flight(around.workers),
            runtime: Handle::current(),
        };
        let mut built = Vec::new();
        for declaration in &self.declared {
            let (provider, adapter) = build(declaration, &deps)?;
            built.push(ConfiguredProvider { provider, adapter });
        }
        Ok(built)
    }
}
