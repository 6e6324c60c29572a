//! Stand-in for the exporter in a program without one.

use domain::shared::span::Span;
use futures_util::future::BoxFuture;
use ports::shared::traces::SpanExporter;
use thiserror::Error;

use crate::config::Traces;

/// Exporter that cannot be created.
pub(super) enum Exporter {}

/// Error of a program that cannot export traces.
#[derive(Debug, Error)]
#[error("OTEL_EXPORTER_OTLP_ENDPOINT is set, but the program was built without the feature otel")]
pub(super) struct NotBuilt;

/// Fails.
pub(super) fn exporter(_: &Traces) -> Result<Exporter, NotBuilt> {
    Err(NotBuilt)
}

impl Exporter {
    pub(super) fn run(&self) -> BoxFuture<'static, ()> {
        match *self {}
    }

    pub(super) fn close(&self) -> BoxFuture<'static, ()> {
        match *self {}
    }
}

impl SpanExporter for Exporter {
    fn export(&self, _: Span) {
        match *self {}
    }
}
