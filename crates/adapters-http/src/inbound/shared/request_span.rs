//! Spans of requests.

use actix_web::{HttpMessage, HttpRequest, dev::ServiceRequest, web::Data};
use domain::shared::{
    id::{Id, Unowned},
    span::{Span, SpanKind},
    trace::{TraceContext, TraceHead, TraceParent},
};

use crate::inbound::Api;

const TRACEPARENT: &str = "traceparent";

/// Span of a request whose trace is exported, until its answer.
pub(crate) struct RequestSpan {
    span: Span,
    api: Data<Api>,
}

/// Marks the identifiers of spans.
struct TracedRequest;

impl Unowned for TracedRequest {}

impl RequestSpan {
    /// Decides on the trace of a request, for what is done in it as well; `None` if it is not exported.
    pub(crate) fn begin(request: &ServiceRequest, method: &str, route: &str) -> Option<Self> {
        let api = request.app_data::<Data<Api>>().filter(|api| api.tracer.is_on())?;
        let began_at = api.clock.now();
        let own = Id::<TracedRequest>::new(began_at).uuid();
        let parent = parent(request.request());
        let context = match parent {
            Some(parent) => parent.context.at(own),
            None => TraceContext::root(own),
        };
        let head = api.tracer.head(parent, context);
        request.extensions_mut().insert(head);
        let TraceHead::Kept(context) = head else { return None };
        let name = format!("{method} {route}");
        let span = Span::new(name, SpanKind::Server, context, (began_at, began_at))
            .below(parent.map_or(context, |parent| parent.context))
            .with("http.request.method", method.to_owned())
            .with("http.route", route.to_owned());
        Some(Self { span, api: api.clone() })
    }

    /// Exports the span of a request that was answered with that status.
    pub(crate) fn end(self, status: u16) {
        let Self { span, api } = self;
        let is_failed = status >= 500;
        let span = Span { ended_at: api.clock.now(), ..span }
            .with("http.response.status_code", i64::from(status))
            .failed(is_failed.then(|| status.to_string()));
        api.tracer.export([span]);
    }
}

/// Returns the decision on the trace of a request.
pub(crate) fn head_of(request: &HttpRequest) -> TraceHead {
    request.extensions().get::<TraceHead>().copied().unwrap_or_default()
}

fn parent(request: &HttpRequest) -> Option<TraceParent> {
    request.headers().get(TRACEPARENT)?.to_str().ok()?.trim().parse().ok()
}
