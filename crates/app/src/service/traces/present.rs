//! Exporter by OTLP.

use std::sync::Arc;

use adapters_otel::{OtlpError, OtlpExporter, OtlpSettings};
use futures_util::future::BoxFuture;

use super::Exporter;
use crate::config::Traces;

/// Creates the exporter.
pub(super) fn exporter(settings: &Traces) -> Result<Arc<dyn Exporter>, OtlpError> {
    let exporter = OtlpExporter::new(&OtlpSettings {
        endpoint: settings.endpoint.clone(),
        headers: settings.headers.clone(),
        service: settings.service.clone(),
        version: env!("CARGO_PKG_VERSION"),
    })?;
    Ok(Arc::new(exporter))
}

impl Exporter for OtlpExporter {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(Self::run(self))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(Self::close(self))
    }
}
