//! Export of traces. Only a program that is built with the feature `otel` has it.

// Tests have the feature, and try what a program without it does.
#[cfg(any(test, not(feature = "otel")))]
mod absent;
#[cfg(feature = "otel")]
mod present;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use ports::shared::traces::{SpanExporter, Tracer};

#[cfg(not(feature = "otel"))]
use self::absent::exporter;
#[cfg(feature = "otel")]
use self::present::exporter;
use crate::{config::Config, supervisor::Supervisor};

/// Exporter of spans, with the task that sends them.
trait Exporter: SpanExporter {
    /// Exports until the exporter is [closed](Self::close).
    fn run(&self) -> BoxFuture<'_, ()>;

    /// Exports the spans that wait, and ends the export.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// Tracer of the service, with its exporter if there is one.
#[derive(Default)]
pub(super) struct Traces {
    pub(super) tracer: Tracer,
    exporter: Option<Arc<dyn Exporter>>,
}

impl Traces {
    /// Creates the exporter that the settings ask for. Without one the service works as well.
    pub(super) fn new(config: &Config) -> Self {
        let Some(settings) = &config.traces else { return Self::default() };
        match exporter(settings) {
            Ok(exporter) => {
                let tracer = Tracer::new(settings.sampler, Arc::clone(&exporter) as _);
                Self { tracer, exporter: Some(exporter) }
            }
            Err(error) => {
                tracing::warn!(%error, "no traces are exported");
                Self::default()
            }
        }
    }

    /// Exports until the export is [closed](Self::close).
    pub(super) fn spawn(&self, tasks: &mut Supervisor) {
        if let Some(exporter) = &self.exporter {
            let exporter = Arc::clone(exporter);
            tasks.spawn("traces", async move { exporter.run().await });
        }
    }

    /// Exports the spans that wait, and ends the export.
    pub(super) async fn close(&self) {
        if let Some(exporter) = &self.exporter {
            exporter.close().await;
        }
    }
}
