//! The spans of deliveries.

use domain::shared::{
    span::Span,
    trace::{Sampler, TraceContext},
};
use ports::shared::traces::SpanExporter;

use super::*;

/// Exporter that keeps the spans.
#[derive(Default)]
struct Kept(Mutex<Vec<Span>>);

impl SpanExporter for Kept {
    fn export(&self, span: Span) {
        self.0.lock().unwrap().push(span);
    }
}

/// Delivers a message, and returns the spans and the message as it was written.
async fn traced(two: TwoProviders, message: Message) -> (Vec<Span>, Message) {
    let kept = Arc::new(Kept::default());
    let sampler = Sampler { per_million: 0, follows_callers: true };
    let tracer = Tracer::new(sampler, Arc::clone(&kept) as _);
    let (jobs, steps) = recording_jobs();
    let deliveries = Deliveries::new(DeliveriesDeps { tracer, ..two.deps(jobs, clock()) });

    deliveries.deliver(job(message, 0)).await.unwrap();

    let written = steps.lock().unwrap().pop().unwrap().into_message();
    let spans = kept.0.lock().unwrap().clone();
    (spans, written)
}

fn in_a_trace() -> Message {
    let message = ordinary();
    Message { trace: Some(TraceContext::root(message.id.uuid())), ..message }
}

fn names(spans: &[Span]) -> Vec<&str> {
    spans.iter().map(|span| &*span.name).collect()
}

#[tokio::test]
async fn each_attempt_of_a_message_in_a_trace_is_a_span() {
    let two = TwoProviders::default()
        .first_answers(not_accepted())
        .second_answers(accepted(FollowUp::Report));

    let (spans, message) = traced(two, in_a_trace()).await;

    assert_eq!(names(&spans), ["call provider", "call provider"]);
    assert_eq!(spans[0].error.as_deref(), Some("PROVIDER_UNAVAILABLE"));
    assert_eq!(spans[1].error, None);
    assert_eq!(Some(spans[1].context), message.attempt_span());
    assert!(spans.iter().all(|span| span.parent == message.span()));
}

#[tokio::test]
async fn a_delivery_outside_of_traces_has_no_spans() {
    let two = TwoProviders::default().first_answers(accepted(FollowUp::Report));

    assert_eq!(traced(two, ordinary()).await.0, []);
}

#[tokio::test]
async fn the_trace_of_a_message_that_fails_is_exported_after_the_fact() {
    let refused = Outcome::Rejected(failure(FailureCode::InvalidRecipient));
    let two = TwoProviders::default().first_answers(refused);

    let (spans, message) = traced(two, ordinary()).await;

    assert_eq!(names(&spans), ["accept message", "call provider", "message failed"]);
    let id = message.id.uuid().as_u128();
    assert!(spans.iter().all(|span| span.context.trace_id() == id));
    assert_eq!(spans[2].error.as_deref(), Some("INVALID_RECIPIENT"));
    assert!(message.span().is_some(), "its event goes on with the trace");
}
