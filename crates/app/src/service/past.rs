//! Use cases of a service under a clock that its caller sets, to write what happened before.

use std::sync::Arc;

use adapters_http::{Api, MetricsText};
use adapters_postgres::{PgInstance, PgIntake, PgJobs, PgStore, PgTarget, PgWebhookQueue};
use ports::{
    audience::unsubscribes::UnsubscribeLinks, messaging::messages::Intake, shared::clock::Clock,
};
use usecases::{
    identity::policies::Policies,
    messaging::{
        deliveries::Deliveries,
        messages::{Messages, MessagesDeps},
    },
    money::prices::Prices,
    outreach::campaign_work::{CampaignWork, CampaignWorkDeps},
    providers::provider_registry::Providers,
};

use super::{
    StartError, gateway, links,
    wiring::{Outside, Wiring},
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
    /// Policies of organizations.
    pub(crate) policies: Policies,
    /// Prices of messages.
    pub(crate) prices: Prices,
    /// Acceptance of messages.
    pub(crate) intake: Arc<PgIntake>,
    /// Record of the steps of messages.
    pub(crate) jobs: Arc<PgJobs>,
    /// Record of the calls of webhook endpoints.
    pub(crate) webhooks: PgWebhookQueue,
    providers: Arc<Providers>,
    deliveries: Deliveries,
    links: Arc<dyn UnsubscribeLinks>,
    clock: Arc<dyn Clock>,
    instance: PgInstance,
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
        let tokens = links::tokens(config, database_url).await?;
        let gateway = gateway::gateway(config, target, config.server.listen).await?;
        let metrics: MetricsText = Arc::new(String::new);
        let outside = Outside { tokens, gateway, clock: Arc::clone(&clock) };
        let wiring = Wiring::new(config, target, metrics, outside)?;
        wiring.instance.heartbeat().await?;
        wiring.api.provider_health.declare().await?;
        let webhooks = PgWebhookQueue::new(PgStore::connect_writers(target, 1)?, &wiring.instance);
        Ok(Self {
            api: wiring.api,
            store: Arc::new(wiring.store),
            books: PgStore::connect_maintenance(target, 1)?,
            policies: wiring.policies,
            prices: wiring.prices,
            intake: wiring.intake,
            jobs: wiring.jobs,
            webhooks,
            providers: wiring.providers,
            deliveries: wiring.deliveries,
            links: wiring.links,
            clock,
            instance: wiring.instance,
            writers: wiring.writers,
        })
    }

    /// Returns the work on campaigns, whose messages `intake` accepts.
    pub(crate) fn campaign_work(&self, intake: Arc<dyn Intake>) -> CampaignWork {
        let store = || Arc::clone(&self.store);
        let messages = Messages::new(MessagesDeps {
            templates: store(),
            delivery_logs: store(),
            intake,
            prices: self.prices.clone(),
            providers: Arc::clone(&self.providers),
            deliveries: self.deliveries.clone(),
            clock: Arc::clone(&self.clock),
        });
        CampaignWork::new(CampaignWorkDeps {
            queue: store(),
            campaigns: store(),
            audience: store(),
            messages,
            links: Arc::clone(&self.links),
            policies: self.policies.clone(),
            clock: Arc::clone(&self.clock),
        })
    }

    /// Ends the tasks that write, and removes this process from those that hold leases.
    pub(crate) async fn stop(mut self) -> Result<(), StartError> {
        self.instance.deregister().await?;
        self.writers.stop().await;
        Ok(())
    }
}
