//! Exporter by OTLP.

use adapters_otel::{OtlpError, OtlpExporter, OtlpSettings};

use crate::config::Traces;

/// Exporter of spans.
pub(super) type Exporter = OtlpExporter;

/// Creates the exporter.
pub(super) fn exporter(settings: &Traces) -> Result<Exporter, OtlpError> {
    OtlpExporter::new(&OtlpSettings {
        endpoint: settings.endpoint.clone(),
        headers: settings.headers.clone(),
        service: settings.service.clone(),
        version: env!("CARGO_PKG_VERSION"),
    })
}
