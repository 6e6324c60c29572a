//! Traces of requests and messages.
//!
//! ```
//! use std::sync::Arc;
//!
//! use domain::shared::{span::Span, trace::Sampler};
//! use ports::shared::traces::{SpanExporter, Tracer};
//!
//! /// Exporter that prints names.
//! struct Printer;
//!
//! impl SpanExporter for Printer {
//!     fn export(&self, span: Span) {
//!         println!("{}", span.name);
//!     }
//! }
//!
//! let one_percent = Sampler { per_million: 10_000, follows_callers: true };
//! assert!(Tracer::new(one_percent, Arc::new(Printer)).is_on());
//! assert!(!Tracer::default().is_on());
//! ```

use std::{fmt, sync::Arc};

use domain::shared::{
    span::Span,
    trace::{Sampler, TraceContext, TraceHead, TraceParent},
};

/// Exports finished spans.
pub trait SpanExporter: Send + Sync {
    /// Takes a span to be exported. Never waits: a span for which there is no room is dropped.
    fn export(&self, span: Span);
}

/// Exporter, with the share of traces that it gets. The default one is off: it decides nothing, and
/// nothing is made for it.
#[derive(Clone, Default)]
pub struct Tracer(Option<On>);

#[derive(Clone)]
struct On {
    sampler: Sampler,
    exporter: Arc<dyn SpanExporter>,
}

impl Tracer {
    /// Creates a tracer that exports there.
    pub fn new(sampler: Sampler, exporter: Arc<dyn SpanExporter>) -> Self {
        Self(Some(On { sampler, exporter }))
    }

    /// True if spans are exported.
    pub const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Decides on the trace of a request, whose own span is `context`.
    pub fn head(&self, parent: Option<TraceParent>, context: TraceContext) -> TraceHead {
        match &self.0 {
            None => TraceHead::Open,
            Some(on) if on.sampler.keeps_below(parent, context) => TraceHead::Kept(context),
            Some(_) => TraceHead::Dropped,
        }
    }

    /// Returns the trace of a new message; `None` if it is not exported. `own` is the trace of its own,
    /// which it has if there is no request at its head.
    pub fn trace_of(&self, head: TraceHead, own: TraceContext) -> Option<TraceContext> {
        match (head, &self.0) {
            (TraceHead::Kept(context), Some(_)) => Some(context),
            (TraceHead::Open, Some(on)) => on.sampler.keeps(own).then_some(own),
            (TraceHead::Dropped, _) | (_, None) => None,
        }
    }

    /// Exports spans.
    pub fn export(&self, spans: impl IntoIterator<Item = Span>) {
        if let Some(on) = &self.0 {
            spans.into_iter().for_each(|span| on.exporter.export(span));
        }
    }
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tracer").field(&self.is_on()).finish()
    }
}
