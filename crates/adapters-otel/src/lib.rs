//! Export of spans to a collector, by the protocol of OpenTelemetry over HTTP.

mod data;
mod exporter;

pub use exporter::{OtlpError, OtlpExporter, OtlpSettings};
