//! Background work of a running service: the tasks of the runner, one file for each subject, and what
//! is run otherwise.

mod audience;
mod caches;
mod campaigns;
mod connections;
mod database;
mod figures;
mod identity;
mod messages;
mod money;
mod notices;
mod platform;
mod providers;
mod triggers;

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgWebhookQueue, Task};
use domain::shared::retention::RetentionDays;

use super::{metrics::ProcessFigures, stores::BackgroundStores, wiring::Wiring};
use crate::{
    background::Runner,
    delivery_pool::Workers,
    supervisor::Supervisor,
    webhook_pool::{Closing, WebhookDeps, WebhookPool},
};

impl Wiring {
    /// Starts the background tasks, once all stores are made.
    pub(super) fn spawn_background(
        &self,
        stores: &BackgroundStores,
        retention: Option<RetentionDays>,
        figures: ProcessFigures,
        tasks: &mut Supervisor,
    ) {
        self.core.signals.spawn(tasks);
        let mut runner = Runner::new(Arc::clone(&self.core.task_states));
        let outages = runner.outages();
        runner.add_all(database::tasks(self, stores, retention, outages));
        runner.add_all(caches::tasks(self, stores));
        runner.add_all(providers::tasks(self));
        runner.add_all(identity::tasks(self));
        runner.add_all(messages::tasks(self, stores));
        runner.add_all(audience::tasks(self, stores));
        runner.add_all(campaigns::tasks(self, stores));
        runner.add_all(triggers::tasks(self, stores));
        runner.add_all(money::tasks(self, stores));
        runner.add_all(platform::tasks(self, stores));
        runner.add_all(figures::tasks(stores, figures));
        runner.add_all(notices::tasks(self, stores));
        runner.start(tasks);
        // No task of the runner: without heartbeats this instance counts as dead.
        let workers =
            Workers { pool: Arc::clone(&self.core.pool), deliveries: self.core.deliveries.clone() };
        let signals = Arc::clone(&self.core.signals);
        let Task { name, run } = self.core.instance.heartbeats(Arc::new(workers), signals);
        tasks.spawn(name, run);
    }

    /// Starts the calls of webhook endpoints, and returns the handle that ends them.
    pub(super) fn spawn_webhooks(
        &self,
        stores: &BackgroundStores,
        tasks: &mut Supervisor,
    ) -> Arc<Closing> {
        let pool = WebhookPool::new(WebhookDeps {
            queue: Arc::new(PgWebhookQueue::new((*stores.writers).clone(), &self.core.instance)),
            caller: Arc::clone(&self.core.webhooks.caller) as _,
            waker: Arc::clone(&self.core.webhooks.waker),
            wake_signal: Arc::clone(&self.core.signals) as _,
            clock: Arc::clone(&self.core.clock),
            random: Arc::new(SystemRandom),
            tracer: self.api.tracer.clone(),
        });
        let closing = pool.closing();
        tasks.spawn("webhooks", pool.run());
        closing
    }
}
