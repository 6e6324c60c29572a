//! Traces of requests.

use std::sync::Mutex;

use domain::shared::{
    span::Span,
    trace::{MILLION, Sampler, TraceHead, TraceParent},
};
use ports::shared::traces::SpanExporter;

use super::*;

const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Exporter that keeps the spans.
#[derive(Default)]
struct Kept(Mutex<Vec<Span>>);

impl SpanExporter for Kept {
    fn export(&self, span: Span) {
        self.0.lock().unwrap().push(span);
    }
}

/// Returns the spans of a request with that `traceparent`.
async fn spans(per_million: u32, given: Option<&str>) -> Vec<Span> {
    let kept = Arc::new(Kept::default());
    let sampler = Sampler { per_million, follows_callers: true };
    let tracer = Tracer::new(sampler, Arc::clone(&kept) as _);
    let mut request = TestRequest::get().uri("/messages/abc?token=secret");
    if let Some(given) = given {
        request = request.insert_header(("traceparent", given));
    }
    TestApi { tracer, ..TestApi::default() }.answer(request).await;
    let spans = kept.0.lock().unwrap();
    spans.clone()
}

#[actix_web::test]
async fn a_request_goes_on_with_the_trace_of_its_caller() {
    let spans = spans(0, Some(GIVEN)).await;

    let [span] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(span.name, "GET /messages/{id}");
    assert_eq!(span.context.trace_id(), 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
    assert_eq!(span.parent.map(|parent| parent.to_string()).as_deref(), Some(GIVEN));
    assert!(span.attributes.contains(&("http.response.status_code", 401_i64.into())));
    assert_eq!(span.error, None, "the caller is at fault");
}

#[actix_web::test]
async fn a_request_whose_caller_exports_nothing_has_no_span() {
    assert!(spans(MILLION, Some(&GIVEN.replace("-01", "-00"))).await.is_empty());
}

#[actix_web::test]
async fn a_request_without_a_valid_context_begins_a_trace() {
    for given in [None, Some("x")] {
        let spans = spans(MILLION, given).await;
        assert_eq!(spans.len(), 1, "{given:?}");
        assert_eq!(spans[0].parent, None);
    }
    assert!(spans(0, None).await.is_empty());
}

#[actix_web::test]
async fn nothing_is_decided_while_traces_are_off() {
    let tracer = Tracer::default();
    let context = GIVEN.parse().map(|parent: TraceParent| parent.context).unwrap();

    assert_eq!(tracer.head(None, context), TraceHead::Open);
    assert_eq!(tracer.trace_of(TraceHead::Kept(context), context), None);
    assert_eq!(tracer.trace_of(TraceHead::Open, context), None);
}
