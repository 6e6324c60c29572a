//! Background tasks of a service, and the connections that they use.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgStore, PgTarget};
use domain::shared::retention::RetentionDays;
use usecases::{
    audience::{contact_jobs::ContactJobWork, imports::ImportWork},
    identity::spending::Spending,
    messaging::{log_exports::LogExportWork, resends::ResendWork},
    money::invoices::Statements,
    outreach::events::TriggerWork,
    platform::{
        notices::{NoticeSender, NoticeSenderDeps},
        traffic::{TrafficWatch, TrafficWatchDeps},
    },
    shared::bounds::Bounds,
};

use super::{
    StartError, background,
    campaigns::{self, CampaignDeps},
    provider_watch,
    webhooks::{self, CallDeps},
    wiring::{Wiring, policy_sources},
};
use crate::{delivery_pool::Workers, supervisor::Supervisor, webhook_pool::Closing};

impl Wiring {
    /// Starts the background tasks.
    pub(super) fn spawn_background(
        &self,
        target: &PgTarget,
        retention: Option<RetentionDays>,
        tasks: &mut Supervisor,
    ) -> Result<(), StartError> {
        let (providers, clock) = (&self.providers, &self.clock);
        let signals = || Arc::clone(&self.signals);
        self.signals.spawn(tasks);
        self.watch_providers(tasks);
        let store = Arc::new(PgStore::connect(target, 1)?);
        let api_keys = self.api.api_keys.through(Arc::clone(&store) as _);
        let policies = self.policies.through(policy_sources(&store));
        let event_cache = self.event_cache.through(Arc::clone(&store) as _);
        tasks.spawn("changes of events", background::follow_events(event_cache, signals()));
        let prices = self.prices.through(Arc::clone(&store) as _);
        let holding = self.holding.through(Arc::clone(&store) as _, Arc::clone(&store) as _, store);
        tasks.spawn("news of what is held", background::follow_holds(holding, signals()));
        self.spawn_releases(target, tasks)?;
        tasks.spawn(
            "changes of API keys, organizations and prices",
            background::follow_changes(api_keys, policies, prices, signals()),
        );
        // On another connection: while many uses are written, no key would be trusted.
        tasks.spawn("uses of API keys", background::write_key_uses(self.api.api_keys.clone()));
        tasks.spawn("uses of sessions", background::write_session_uses(self.api.auth.clone()));
        tasks.spawn("calls of API keys", background::write_key_calls(self.api.api_keys.clone()));
        let refused_calls = background::write_refused_calls(self.api.refused_calls.clone());
        tasks.spawn("refused calls", refused_calls);
        tasks.spawn("journal posting", background::post(PgStore::connect_background(target, 1)?));
        self.spawn_queues(target, tasks)?;
        let store = PgStore::connect_maintenance(target, 1)?;
        tasks.spawn("maintenance", background::maintain(store, retention));
        self.spawn_erasures(target, tasks)?;
        let queue = Arc::new(PgStore::connect_queues(target, 1)?);
        let work = TriggerWork::new(queue, self.api.messages.clone(), self.policies.clone());
        tasks.spawn("triggers", background::go_on_with_triggers(work));
        let recount = background::recount_segments(PgStore::connect_background(target, 1)?);
        tasks.spawn("counting of segments", recount);
        tasks.spawn("notices", background::send_notices(self.notice_sender()));
        self.spawn_payments(tasks);
        let store = Arc::new(PgStore::connect_background(target, 1)?);
        let statements = Statements::new(store, Arc::clone(clock));
        tasks.spawn("monthly statements", background::write_statements(statements));
        let store = Arc::new(PgStore::connect_background(target, 1)?);
        let spending = Spending::new(Arc::clone(&store) as _);
        self.spawn_traffic_watch(&store, tasks);
        tasks.spawn("spending rules", background::apply_spending_rules(spending));
        tasks.spawn("low balances", background::note_low_balances((*store).clone()));
        tasks.spawn("provisioning", background::provision(self.provisioning.clone()));
        let workers = Workers { pool: Arc::clone(&self.pool), deliveries: self.deliveries.clone() };
        tasks.spawn(
            "heartbeat",
            background::send_heartbeat(self.instance.clone(), workers, signals()),
        );
        let observe = background::observe(
            Arc::clone(&self.monitor),
            Arc::clone(providers),
            Arc::clone(clock),
        );
        tasks.spawn("look at the database", observe);
        Ok(())
    }

    /// Starts what makes messages due that were held back or scheduled.
    fn spawn_releases(&self, target: &PgTarget, tasks: &mut Supervisor) -> Result<(), StartError> {
        let store = Arc::new(PgStore::connect_writers(target, 1)?);
        let scheduled = self.jobs.scheduled_messages((*store).clone());
        let holding = self.holding.through(Arc::clone(&store) as _, Arc::clone(&store) as _, store);
        let signals = || Arc::clone(&self.signals);
        tasks.spawn("release of held messages", background::release_held(holding, signals()));
        let release = background::release_scheduled(Arc::new(scheduled), signals());
        tasks.spawn("release of scheduled messages", release);
        Ok(())
    }

    /// Starts what erases people and organizations, and masks codes.
    fn spawn_erasures(&self, target: &PgTarget, tasks: &mut Supervisor) -> Result<(), StartError> {
        let store = PgStore::connect_writers(target, 1)?;
        let scheduled = self.api.scheduled_messages.clone();
        tasks.spawn("erasure", background::erase(store.clone(), scheduled));
        tasks.spawn("masking of codes", background::mask_codes(store));
        let store = PgStore::connect_background(target, 1)?;
        tasks.spawn("erasure of closed organizations", background::erase_closed(store));
        let settle = background::settle_closings(self.api.closings.clone());
        tasks.spawn("settlement of closings", settle);
        Ok(())
    }

    /// Starts the workers on files, exports and campaigns. Other instances free their leases if this
    /// instance dies.
    fn spawn_queues(&self, target: &PgTarget, tasks: &mut Supervisor) -> Result<(), StartError> {
        let prefix = self.instance.lease_prefix();
        let queue = Arc::new(PgStore::connect_queues(target, 1)?.leasing_by(&prefix));
        let bounds = Bounds::new(Arc::clone(&queue) as _);
        let resends = ResendWork::new(
            Arc::clone(&queue) as _,
            Arc::clone(&queue) as _,
            self.api.messages.clone(),
            self.policies.clone(),
        );
        tasks.spawn("repetition of failed messages", background::send_failed_again(resends));
        let jobs = ContactJobWork::new(Arc::clone(&queue) as _);
        tasks.spawn("jobs on contacts", background::work_off_contact_jobs(jobs));
        let exports = LogExportWork::new(Arc::clone(&queue) as _, Arc::clone(&queue) as _);
        tasks.spawn("exports of the log", background::write_log_exports(exports));
        let work = ImportWork::new(Arc::clone(&queue) as _, queue, bounds, Arc::clone(&self.clock));
        tasks.spawn("imports", background::work_off_imports(work));
        campaigns::spawn(
            PgStore::connect_queues(target, campaigns::CONNECTIONS)?.leasing_by(&prefix),
            CampaignDeps {
                messages: self.api.messages.clone(),
                links: Arc::clone(&self.links),
                policies: self.policies.clone(),
                clock: Arc::clone(&self.clock),
            },
            &self.signals,
            tasks,
        );
        Ok(())
    }

    fn watch_providers(&self, tasks: &mut Supervisor) {
        let (providers, clock) = (&self.providers, &self.clock);
        tasks.spawn("account checks", provider_watch::check(self.api.provider_health.clone()));
        let judge = provider_watch::judge(Arc::clone(providers), Arc::clone(clock));
        tasks.spawn("judging of silence", judge);
        let listen = provider_watch::listen(
            Arc::clone(providers),
            Arc::clone(clock),
            Arc::clone(&self.signals),
        );
        tasks.spawn("news of providers", listen);
        tasks.spawn("sweep of kept reports", provider_watch::sweep(self.api.callbacks.clone()));
    }

    fn spawn_traffic_watch(&self, store: &Arc<PgStore>, tasks: &mut Supervisor) {
        let watch = TrafficWatch::new(TrafficWatchDeps {
            counter: self.deliveries.traffic(),
            store: Arc::clone(store) as _,
            policies: self.policies.clone(),
            clock: Arc::clone(&self.clock),
        });
        tasks.spawn("watch over codes", background::watch_traffic(watch));
    }

    fn notice_sender(&self) -> NoticeSender {
        let store = Arc::new(self.store.clone());
        NoticeSender::new(NoticeSenderDeps {
            queue: Arc::clone(&store) as _,
            organizations: Arc::clone(&store) as _,
            users: store,
            mailer: Arc::new(self.api.messages.clone()),
            public_url: self.api.public_url.clone(),
        })
    }

    /// Starts the calls of webhook endpoints, and returns the handle that ends them.
    pub(super) fn spawn_webhooks(
        &self,
        target: &PgTarget,
        tasks: &mut Supervisor,
    ) -> Result<Arc<Closing>, StartError> {
        let failures = webhooks::note_failures(self.store.clone(), Arc::clone(&self.clock));
        tasks.spawn("failing webhooks", failures);
        let deps = CallDeps {
            caller: Arc::clone(&self.webhooks.caller) as _,
            waker: Arc::clone(&self.webhooks.waker),
            wake_signal: Arc::clone(&self.signals) as _,
            clock: Arc::clone(&self.clock),
            random: Arc::new(SystemRandom),
        };
        let store = PgStore::connect_writers(target, webhooks::CONNECTIONS)?;
        Ok(webhooks::spawn(store, &self.instance, deps, tasks))
    }

    fn spawn_payments(&self, tasks: &mut Supervisor) {
        let reconcile = background::reconcile_top_ups(self.api.top_ups.clone());
        tasks.spawn("reconciliation of top-ups", reconcile);
        if self.api.checkouts.are_open() {
            let notify = background::notify_payments(self.api.checkouts.clone());
            tasks.spawn("simulated payments", notify);
        }
    }
}
