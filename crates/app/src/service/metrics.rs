//! Metrics of the process: recording, output and periodic updates.

mod catalogue;
mod process;
mod series;

use std::sync::{Arc, OnceLock};

use adapters_http::MetricsText;
use chrono::TimeDelta;
use domain::{messaging::priority::Priority, providers::provider::SANDBOX};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use ports::platform::health::{PriorityBacklog, SharedProbe, StoreProbe};
use usecases::providers::provider_registry::Providers;

pub use self::catalogue::{METRIC_GROUPS, Metric, MetricGroup};
use super::{StartError, wiring::Core};

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Returns the metrics of this process. All services of a process share them.
pub(super) fn recorder() -> Result<PrometheusHandle, StartError> {
    let mut builder = PrometheusBuilder::new();
    for (matcher, buckets) in catalogue::buckets() {
        builder = builder.set_buckets_for_metric(matcher, buckets)?;
    }
    let install = || {
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_ok() {
            catalogue::describe();
            series::register();
            metrics::gauge!("atumpan_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
        }
        handle
    };
    Ok(RECORDER.get_or_init(install).clone())
}

/// Returns the function that renders the metrics.
pub(super) fn text(handle: PrometheusHandle) -> MetricsText {
    Arc::new(move || handle.render())
}

/// Figures of this process that are not counted as they change. Reading the metrics only renders them.
pub(super) struct ProcessFigures {
    /// Handle of the metrics.
    handle: PrometheusHandle,
    /// Providers whose breakers and demotions are shown.
    providers: Arc<Providers>,
    /// Probe of the database.
    store: Arc<dyn StoreProbe>,
    /// Probe of what instances share beside the database.
    shared: Arc<dyn SharedProbe>,
}

impl ProcessFigures {
    /// Shows the figures of a service for the first time, so that all metrics are there when it begins
    /// to serve.
    pub(super) fn begin(handle: PrometheusHandle, core: &Core) -> Self {
        let figures = Self {
            handle,
            providers: Arc::clone(&core.providers),
            store: Arc::clone(&core.monitor) as _,
            shared: Arc::clone(&core.probe),
        };
        series::register_attempts(SANDBOX);
        for provider in figures.providers.declared() {
            series::register_provider(&provider.name);
        }
        for priority in Priority::ALL {
            note_priority(priority, PriorityBacklog::default());
        }
        figures.note();
        figures
    }

    /// Updates the figures.
    pub(super) async fn update(&self) {
        self.handle.run_upkeep();
        self.note();
        let is_up = u8::from(self.shared.ping().await.is_ok());
        metrics::gauge!("atumpan_redis_up").set(is_up);
    }

    fn note(&self) {
        self.note_providers();
        self.note_store();
        process::note();
    }

    fn note_providers(&self) {
        for provider in self.providers.declared() {
            let state = self.providers.states().of(&provider.name);
            let labels = [
                ("provider", provider.name.clone()),
                ("channel", provider.channel.as_str().to_owned()),
            ];
            let is_open = u8::from(!state.breaker.is_closed());
            metrics::gauge!("atumpan_provider_breaker_open", &labels).set(is_open);
            metrics::gauge!("atumpan_provider_demotion", &labels).set(state.demotion);
        }
    }

    fn note_store(&self) {
        let stats = self.store.stats();
        metrics::gauge!("atumpan_database_up").set(u8::from(stats.database.is_ok()));
        metrics::gauge!("atumpan_journal_lines").set(figure(stats.journal_lines));
        metrics::gauge!("atumpan_journal_oldest_seconds").set(seconds(stats.oldest_rollup));
        metrics::gauge!("atumpan_partitions_ahead").set(stats.partitions_ahead);
        if let Some(backlog) = &stats.backlog {
            metrics::gauge!("atumpan_queue_active_messages").set(figure(backlog.active));
            for priority in Priority::ALL {
                note_priority(
                    priority,
                    backlog.priorities.get(&priority).copied().unwrap_or_default(),
                );
            }
        }
        for (pool, usage) in stats.pools {
            metrics::gauge!("atumpan_database_connections_max", "pool" => pool)
                .set(count(usage.max_size));
            metrics::gauge!("atumpan_database_connections_in_use", "pool" => pool)
                .set(count(usage.in_use));
            metrics::gauge!("atumpan_database_connections_awaited", "pool" => pool)
                .set(count(usage.waiting));
        }
    }
}

fn note_priority(priority: Priority, backlog: PriorityBacklog) {
    let priority = format!("{priority:?}").to_ascii_uppercase();
    metrics::gauge!("atumpan_queue_waiting_messages", "priority" => priority.clone())
        .set(figure(backlog.waiting));
    metrics::gauge!("atumpan_queue_oldest_seconds", "priority" => priority)
        .set(seconds(backlog.oldest));
}

fn seconds(time: TimeDelta) -> f64 {
    time.to_std().unwrap_or_default().as_secs_f64()
}

fn count(items: usize) -> f64 {
    figure(items as u64)
}

/// Returns a number as a metric shows it.
#[expect(clippy::cast_precision_loss, reason = "a figure of a metric need not be exact")]
pub(super) fn figure(number: u64) -> f64 {
    number as f64
}
