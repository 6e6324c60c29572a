//! What a service does beside its requests: the tasks, and the connections that they work on.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgStore, PgTarget};
use domain::shared::retention::RetentionDays;
use usecases::{
    audience::imports::ImportWork,
    money::{invoices::Statements, low_balances::LowBalanceNotices, spending::Spending},
    outreach::events::TriggerWork,
    platform::{
        bounds::Bounds,
        traffic::{TrafficWatch, TrafficWatchParts},
    },
    webhooks::webhook_notices::WebhookNotices,
};

use super::{
    StartError,
    campaigns::{self, CampaignMeans},
    provider_watch, upkeep,
    webhooks::{self, CallMeans},
    wiring::{Wiring, policy_sources},
};
use crate::{delivery_pool::Workers, supervisor::Supervisor, webhook_pool::Closing};

impl Wiring {
    /// Starts what is done beside requests.
    pub(super) fn spawn_upkeep(
        &self,
        target: &PgTarget,
        retention: Option<RetentionDays>,
        upkeep: &mut Supervisor,
    ) -> Result<(), StartError> {
        let (providers, clock) = (&self.providers, &self.clock);
        let signals = || Arc::clone(&self.signals);
        self.signals.spawn(upkeep);
        self.watch_providers(upkeep);
        let store = Arc::new(PgStore::connect(target, 1)?);
        let api_keys = self.api.api_keys.through(Arc::clone(&store) as _);
        let policies = self.policies.through(policy_sources(&store));
        let known_events = self.known_events.through(Arc::clone(&store) as _);
        upkeep.spawn("changes of events", upkeep::follow_events(known_events, signals()));
        let prices = self.prices.through(Arc::clone(&store) as _);
        let holding = self.holding.through(Arc::clone(&store) as _, Arc::clone(&store) as _, store);
        upkeep.spawn("news of what is held", upkeep::follow_holds(holding, signals()));
        let store = Arc::new(PgStore::connect_writers(target, 1)?);
        let holding = self.holding.through(Arc::clone(&store) as _, Arc::clone(&store) as _, store);
        upkeep.spawn("release of held messages", upkeep::release_held(holding, signals()));
        upkeep.spawn(
            "changes of API keys, organizations and prices",
            upkeep::follow_changes(api_keys, policies, prices, signals()),
        );
        // Not on that connection: while many uses are written, no key would be trusted.
        upkeep.spawn("uses of API keys", upkeep::write_key_uses(self.api.api_keys.clone()));
        upkeep.spawn("journal posting", upkeep::post(PgStore::connect_background(target, 1)?));
        self.spawn_queues(target, upkeep)?;
        let store = PgStore::connect_maintenance(target, 1)?;
        upkeep.spawn("maintenance", upkeep::maintain(store, retention));
        let store = PgStore::connect_writers(target, 1)?;
        upkeep.spawn("erasure", upkeep::erase(store.clone()));
        upkeep.spawn("masking of codes", upkeep::mask_codes(store));
        let queue = Arc::new(PgStore::connect_queues(target, 1)?);
        let work = TriggerWork::new(queue, self.api.messages.clone(), self.policies.clone());
        upkeep.spawn("triggers", upkeep::go_on_with_triggers(work));
        let recount = upkeep::recount_segments(PgStore::connect_background(target, 1)?);
        upkeep.spawn("counting of segments", recount);
        upkeep.spawn("mails about decisions", upkeep::tell_decisions(self.api.approvals.clone()));
        self.spawn_payments(upkeep);
        let store = Arc::new(PgStore::connect_background(target, 1)?);
        let statements = Statements::new(store, Arc::clone(clock));
        upkeep.spawn("monthly statements", upkeep::write_statements(statements));
        let store = Arc::new(PgStore::connect_background(target, 1)?);
        let spending = Spending::new(Arc::clone(&store) as _);
        self.spawn_traffic_watch(&store, upkeep);
        upkeep.spawn("spending rules", upkeep::apply_spending_rules(spending));
        let notices = LowBalanceNotices::new(
            Arc::clone(&store) as _,
            store,
            self.api.messages.clone(),
            self.api.public_url.clone(),
        );
        upkeep.spawn("mails about low balances", upkeep::tell_low_balances(notices));
        upkeep.spawn("provisioning", upkeep::provision(self.provisioning.clone()));
        let workers = Workers { pool: Arc::clone(&self.pool), deliveries: self.deliveries.clone() };
        upkeep
            .spawn("signs of life", upkeep::stay_alive(self.instance.clone(), workers, signals()));
        let observe =
            upkeep::observe(Arc::clone(&self.monitor), Arc::clone(providers), Arc::clone(clock));
        upkeep.spawn("look at the database", observe);
        Ok(())
    }

    /// Starts what works off files and campaigns, whose leases others free when this instance is dead.
    fn spawn_queues(&self, target: &PgTarget, upkeep: &mut Supervisor) -> Result<(), StartError> {
        let prefix = self.instance.lease_prefix();
        let queue = Arc::new(PgStore::connect_queues(target, 1)?.leasing_by(&prefix));
        let bounds = Bounds::new(Arc::clone(&queue) as _);
        let work = ImportWork::new(queue, Arc::clone(&self.clock)).within(bounds);
        upkeep.spawn("imports", upkeep::work_off_imports(work));
        campaigns::spawn(
            PgStore::connect_queues(target, campaigns::CONNECTIONS)?.leasing_by(&prefix),
            CampaignMeans {
                messages: self.api.messages.clone(),
                links: Arc::clone(&self.links),
                policies: self.policies.clone(),
                clock: Arc::clone(&self.clock),
            },
            &self.signals,
            upkeep,
        );
        Ok(())
    }

    fn watch_providers(&self, upkeep: &mut Supervisor) {
        let (providers, clock) = (&self.providers, &self.clock);
        upkeep.spawn("account checks", provider_watch::check(self.api.provider_health.clone()));
        let judge = provider_watch::judge(Arc::clone(providers), Arc::clone(clock));
        upkeep.spawn("judging of silence", judge);
        let listen = provider_watch::listen(
            Arc::clone(providers),
            Arc::clone(clock),
            Arc::clone(&self.signals),
        );
        upkeep.spawn("news of providers", listen);
        upkeep.spawn("sweep of kept reports", provider_watch::sweep(self.api.callbacks.clone()));
    }

    fn spawn_traffic_watch(&self, store: &Arc<PgStore>, upkeep: &mut Supervisor) {
        let watch = TrafficWatch::new(TrafficWatchParts {
            tally: self.deliveries.traffic(),
            store: Arc::clone(store) as _,
            organizations: Arc::clone(store) as _,
            policies: self.policies.clone(),
            messages: self.api.messages.clone(),
            public_url: self.api.public_url.clone(),
            clock: Arc::clone(&self.clock),
        });
        upkeep.spawn("watch over codes", upkeep::watch_traffic(watch));
    }

    /// Starts the calls of webhook endpoints, and returns by what they are ended.
    pub(super) fn spawn_webhooks(
        &self,
        target: &PgTarget,
        upkeep: &mut Supervisor,
    ) -> Result<Arc<Closing>, StartError> {
        let store = Arc::new(self.store.clone());
        let notices = WebhookNotices::new(
            Arc::clone(&store) as _,
            store,
            self.api.messages.clone(),
            self.api.public_url.clone(),
            Arc::clone(&self.clock),
        );
        upkeep.spawn("mails about failing webhooks", webhooks::tell_failures(notices));
        let means = CallMeans {
            caller: Arc::clone(&self.webhooks.caller) as _,
            bell: Arc::clone(&self.webhooks.bell),
            doorbell: Arc::clone(&self.signals) as _,
            clock: Arc::clone(&self.clock),
            random: Arc::new(SystemRandom),
        };
        let store = PgStore::connect_writers(target, webhooks::CONNECTIONS)?;
        Ok(webhooks::spawn(store, &self.instance, means, upkeep))
    }

    fn spawn_payments(&self, upkeep: &mut Supervisor) {
        let reconcile = upkeep::reconcile_top_ups(self.api.top_ups.clone());
        upkeep.spawn("reconciliation of top-ups", reconcile);
        if self.api.checkouts.are_open() {
            let tell = upkeep::tell_of_payments(self.api.checkouts.clone());
            upkeep.spawn("simulated payments", tell);
        }
    }
}
