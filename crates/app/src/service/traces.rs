//! Export of traces. Only a program that is built with the feature `otel` has it.

#[cfg(not(feature = "otel"))]
mod absent;
#[cfg(feature = "otel")]
mod present;

use std::sync::Arc;

use ports::shared::traces::Tracer;

#[cfg(not(feature = "otel"))]
use self::absent::{Exporter, exporter};
#[cfg(feature = "otel")]
use self::present::{Exporter, exporter};
use crate::{config::Config, supervisor::Supervisor};

/// Tracer of the service, with its exporter if there is one.
#[derive(Default)]
pub(super) struct Traces {
    pub(super) tracer: Tracer,
    exporter: Option<Arc<Exporter>>,
}

impl Traces {
    /// Creates the exporter that the settings ask for. Without one the service works as well.
    pub(super) fn new(config: &Config) -> Self {
        let Some(settings) = &config.traces else { return Self::default() };
        match exporter(settings) {
            Ok(exporter) => {
                let exporter = Arc::new(exporter);
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
