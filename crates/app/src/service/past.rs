//! Use cases of a service under a clock that its caller sets, to write what happened before.

use std::sync::Arc;

use adapters_http::{Api, MetricsText};
use adapters_postgres::{PgStore, PgTarget, PgWebhookQueue};
use ports::{
    messaging::messages::Intake,
    shared::{clock::Clock, traces::Tracer},
};
use usecases::{
    messaging::messages::{Messages, MessagesDeps},
    outreach::campaign_work::{CampaignWork, CampaignWorkDeps},
    shared::limits::Limits,
};

use super::{
    StartError, gateway,
    kept_keys::KeptKeys,
    wiring::{Core, Outside, Wiring},
};
use crate::{config::Config, supervisor::Supervisor};

/// Service that serves nothing and delivers nothing: its caller makes the steps of messages.
pub(crate) struct PastService {
    /// Use cases of the API.
    pub(crate) api: Api,
    /// The store.
    pub(crate) store: Arc<PgStore>,
    /// The store for statements that take long: they post the books.
    pub(crate) books: PgStore,
    /// Record of the calls of webhook endpoints.
    pub(crate) webhooks: PgWebhookQueue,
    /// Acceptance of messages, the record of their steps, and what these need.
    pub(crate) core: Core,
    writers: Supervisor,
}

impl PastService {
    /// Wires the use cases on a migrated database that no other process uses.
    pub(crate) async fn start(
        config: &Config,
        database_url: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let target = &PgTarget::from(database_url);
        let KeptKeys { tokens, callback_key } = KeptKeys::read(config, database_url).await?;
        let gateway = gateway::gateway(config, target, config.server.listen).await?;
        let metrics: MetricsText = Arc::new(String::new);
        let tracer = Tracer::default();
        let outside = Outside { tokens, gateway, clock, tracer, callback_key };
        let Wiring { api, core, writers, .. } = Wiring::new(config, target, metrics, outside)?;
        core.instance.heartbeat().await?;
        api.provider_health.declare().await?;
        let webhooks = PgWebhookQueue::new(PgStore::connect_writers(target, 1)?, &core.instance);
        Ok(Self {
            api,
            store: Arc::new(core.store.clone()),
            books: PgStore::connect_maintenance(target, 1)?,
            webhooks,
            core,
            writers,
        })
    }

    /// Returns the work on campaigns, whose messages `intake` accepts.
    pub(crate) fn campaign_work(&self, intake: Arc<dyn Intake>) -> CampaignWork {
        let (store, core) = (|| Arc::clone(&self.store), &self.core);
        let messages = Messages::new(MessagesDeps {
            templates: store(),
            delivery_logs: store(),
            intake,
            prices: core.prices.clone(),
            providers: Arc::clone(&core.providers),
            deliveries: core.deliveries.clone(),
            clock: Arc::clone(&core.clock),
            limits: Limits::off(),
            fraud_guard: None,
            tracer: Tracer::default(),
        });
        CampaignWork::new(CampaignWorkDeps {
            queue: store(),
            campaigns: store(),
            audience: store(),
            messages,
            links: Arc::clone(&core.links),
            policies: core.policies.clone(),
            clock: Arc::clone(&core.clock),
        })
    }

    /// Ends the tasks that write, and removes this process from those that hold leases.
    pub(crate) async fn stop(mut self) -> Result<(), StartError> {
        self.core.instance.deregister().await?;
        self.writers.stop().await;
        Ok(())
    }
}
