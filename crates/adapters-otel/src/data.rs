//! Spans in the types of OpenTelemetry.

use domain::shared::{
    span::{Span, SpanKind, SpanValue},
    trace::TraceContext,
};
use opentelemetry::{
    InstrumentationScope, KeyValue, SpanId, TraceFlags, TraceId, Value,
    trace::{Link, SpanContext, SpanKind as Kind, Status, TraceState},
};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

/// Returns the span as OpenTelemetry knows it.
pub(crate) fn span_data(span: Span, scope: &InstrumentationScope) -> SpanData {
    let attributes = span.attributes.into_iter();
    let mut links = SpanLinks::default();
    links.links = span.links.into_iter().map(context).map(Link::with_context).collect();
    SpanData {
        span_context: context(span.context),
        parent_span_id: span.parent.map_or(SpanId::INVALID, |parent| parent.span_id().into()),
        parent_span_is_remote: false,
        span_kind: kind(span.kind),
        name: span.name,
        start_time: span.began_at.into(),
        end_time: span.ended_at.into(),
        attributes: attributes.map(|(name, it)| KeyValue::new(name, value(it))).collect(),
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links,
        status: span.error.map_or(Status::Unset, |description| Status::Error { description }),
        instrumentation_scope: scope.clone(),
    }
}

fn context(context: TraceContext) -> SpanContext {
    let (trace, span) = (TraceId::from(context.trace_id()), SpanId::from(context.span_id()));
    SpanContext::new(trace, span, TraceFlags::SAMPLED, false, TraceState::NONE)
}

fn kind(kind: SpanKind) -> Kind {
    match kind {
        SpanKind::Server => Kind::Server,
        SpanKind::Client => Kind::Client,
        SpanKind::Producer => Kind::Producer,
        SpanKind::Consumer => Kind::Consumer,
        SpanKind::Internal => Kind::Internal,
    }
}

fn value(value: SpanValue) -> Value {
    match value {
        SpanValue::Text(text) => text.into(),
        SpanValue::Number(number) => number.into(),
        SpanValue::Flag(flag) => flag.into(),
    }
}
