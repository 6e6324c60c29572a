//! Spans of messages. All of one message are below the span of its acceptance, whose identifier is a
//! part of that of the message.
//!
//! ```
//! use chrono::DateTime;
//! use domain::messaging::spans;
//!
//! let times = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH);
//! assert!(spans::batch([].into_iter(), times).is_empty(), "no message is in a trace");
//! ```

use chrono::{DateTime, Utc};

use crate::{
    messaging::{
        attempt::{Attempt, AttemptEnd, AttemptOutcome},
        attempts,
        delivery::Status,
        job::Step,
        message::{Message, Source},
    },
    shared::{
        span::{Span, SpanKind},
        trace::TraceContext,
    },
};

const ACCEPT: &str = "accept message";
const MESSAGE: &str = "messaging.message.id";
const PROVIDER: &str = "atumpan.provider";
const STATUS: &str = "atumpan.status";

impl Message {
    /// Span of its acceptance, above all its other spans; `None` if its trace is not exported.
    pub fn span(&self) -> Option<TraceContext> {
        Some(self.trace?.at(self.id.uuid()))
    }

    /// Span of its latest attempt; `None` if its trace is not exported.
    pub fn attempt_span(&self) -> Option<TraceContext> {
        Some(of_attempt(self.span()?, attempts::count(&self.attempts)))
    }
}

/// Returns the span of the acceptance of a message.
pub fn accepted(message: &Message, at: DateTime<Utc>) -> Option<Span> {
    let draft = &message.draft;
    let mut span = Span::new(ACCEPT, SpanKind::Producer, message.span()?, (message.created_at, at))
        .below(message.trace?)
        .with(MESSAGE, message.id.to_string())
        .with("atumpan.organization", message.organization.to_string())
        .with("atumpan.channel", draft.channel.as_str())
        .with("atumpan.category", draft.category.as_str())
        .with("atumpan.country", draft.country.to_string())
        .with("atumpan.sandbox", message.is_sandbox);
    if let Some(campaign) = message.source.and_then(Source::campaign) {
        span = span.with("atumpan.campaign", campaign.to_string());
    }
    Some(span)
}

/// Returns the spans of a batch in which messages were written: one in a trace of its own, linked to
/// the messages, and one below each of them, linked to that. None if no message is in a trace.
pub fn batch<'m>(
    messages: impl Iterator<Item = &'m Message>,
    (began_at, ended_at): (DateTime<Utc>, DateTime<Utc>),
) -> Vec<Span> {
    let (mut count, mut traced) = (0_i64, Vec::new());
    for message in messages {
        count += 1;
        traced.extend(message.span());
    }
    let Some(first) = traced.first() else { return Vec::new() };
    let written = |context: TraceContext, name: &'static str| {
        Span::new(name, SpanKind::Internal, context, (began_at, ended_at))
            .with("messaging.batch.message_count", count)
    };
    let whole = written(first.apart(), "write batch").linked(traced.iter().copied());
    let context = whole.context;
    let below = |above: &TraceContext| {
        written(above.child("written"), "write message").below(*above).linked([context])
    };
    let below: Vec<_> = traced.iter().map(below).collect();
    std::iter::once(whole).chain(below).collect()
}

/// Returns the span of the latest attempt, whose call began at that time.
pub fn attempted(message: &Message, began_at: DateTime<Utc>) -> Option<Span> {
    let (attempt, span) = (message.attempts.last()?, message.attempt_span()?);
    Some(attempt_of(message, attempt.ended()?, attempt, (span, began_at)))
}

/// Returns the span of a step: that of a report, and that of the whole life of a message which the step
/// ends.
pub fn of_step(step: &Step, (began_at, ended_at): (DateTime<Utc>, DateTime<Utc>)) -> Vec<Span> {
    let message = step.message();
    let Some(above) = message.span() else { return Vec::new() };
    let status = message.delivery.status();
    let report = matches!(step, Step::ReportApplied(_)).then(|| {
        let context = above.child(("report", status.as_str(), began_at));
        let span = Span::new("apply report", SpanKind::Consumer, context, (began_at, ended_at));
        with_provider(span.below(above).with(STATUS, status.as_str()), message)
    });
    let ends = status.is_final() && status != step.previous_status();
    report.into_iter().chain(ends.then(|| ended(message, above, ended_at))).collect()
}

/// Returns the trace of a failed message as far as its log has it, for a message whose trace was not
/// exported until then.
pub fn rebuilt(message: &Message, failed_at: DateTime<Utc>) -> Vec<Span> {
    let Some(above) = message.span() else { return Vec::new() };
    let mut number = 0;
    let mut spans: Vec<_> = accepted(message, message.created_at).into_iter().collect();
    for attempt in &message.attempts {
        number += 1 + usize::try_from(attempt.omitted).unwrap_or_default();
        if let Some(end) = attempt.ended() {
            let span = of_attempt(above, number);
            spans.push(attempt_of(message, end, attempt, (span, attempt.started_at)));
        }
    }
    spans.push(ended(message, above, failed_at));
    spans
}

fn of_attempt(above: TraceContext, number: usize) -> TraceContext {
    above.child(("attempt", number))
}

fn attempt_of(
    message: &Message,
    end: &AttemptEnd,
    attempt: &Attempt,
    (context, began_at): (TraceContext, DateTime<Utc>),
) -> Span {
    let span = Span::new("call provider", SpanKind::Client, context, (began_at, end.at));
    let is_failed = end.outcome != AttemptOutcome::Accepted;
    let error = end.error_code.map_or(end.outcome.as_str(), |code| code.as_str());
    let span = match message.span() {
        Some(above) => span.below(above),
        None => span,
    };
    span.with(PROVIDER, attempt.provider.clone())
        .with("atumpan.outcome", end.outcome.as_str())
        .failed(is_failed.then_some(error))
}

/// Returns the span of the whole life of a message.
fn ended(message: &Message, above: TraceContext, at: DateTime<Utc>) -> Span {
    let status = message.delivery.status();
    let name = if status == Status::Failed { "message failed" } else { "message delivered" };
    let context = above.child(("ended", status.as_str()));
    let error = message.delivery.failure().map(|failure| failure.code.as_str());
    let is_failed = status == Status::Failed;
    let span = Span::new(name, SpanKind::Internal, context, (message.created_at, at));
    with_provider(span.below(above).with(MESSAGE, message.id.to_string()), message)
        .failed(error.filter(|_| is_failed))
}

fn with_provider(span: Span, message: &Message) -> Span {
    match &message.provider {
        Some(provider) => span.with(PROVIDER, provider.clone()),
        None => span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        messaging::{
            delivery::{Delivery, Failure, FailureCode},
            job::ReportApplied,
            message::{MessageRequest, Terms},
            outcome::Outcome,
            priority::Origin,
        },
        shared::{channel::Channel, id::Id, money::Money},
    };

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn message() -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            ..MessageRequest::default()
        };
        let terms =
            Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
        let draft = request.draft(None).unwrap();
        let message = Message::queue(Id::new(NOW), draft, Origin::Single, terms, NOW);
        let delivery = Delivery::Delivered { sent_at: Some(NOW), at: NOW };
        Message { trace: Some(TraceContext::root(message.id.uuid())), delivery, ..message }
    }

    fn failed() -> Message {
        let failure = Failure::new(FailureCode::ProviderRejected, "no");
        let attempt = Attempt::start("one", NOW).end(NOW, &Outcome::Rejected(failure.clone()));
        let delivery = Delivery::Failed { sent_at: None, at: NOW, failure };
        let second = Attempt { omitted: 2, ..attempt.clone() };
        Message { attempts: vec![attempt, second], delivery, ..message() }
    }

    #[test]
    fn a_message_of_no_request_is_a_trace_with_its_own_identifier() {
        let message = message();
        let span = accepted(&message, NOW).unwrap();

        assert_eq!(span.context.trace_id(), message.id.uuid().as_u128());
        assert_eq!((span.parent, span.began_at), (None, message.created_at));
    }

    #[test]
    fn a_message_of_a_request_is_below_the_request() {
        let request = TraceContext::root(uuid::Uuid::from_u128(77));
        let message = Message { trace: Some(request), ..message() };
        let span = accepted(&message, NOW).unwrap();

        assert_eq!(span.context.trace_id(), 77);
        assert_eq!(span.parent, Some(request));
        assert_eq!(Some(span.context), message.span());
    }

    #[test]
    fn a_message_outside_of_traces_has_no_spans() {
        let message = Message { trace: None, ..failed() };

        assert_eq!(accepted(&message, NOW), None);
        assert_eq!(attempted(&message, NOW), None);
        assert!(batch([&message].into_iter(), (NOW, NOW)).is_empty());
        assert!(rebuilt(&message, NOW).is_empty());
    }

    #[test]
    fn a_batch_and_its_messages_are_linked_in_both_directions() {
        let (one, plain) = (message(), Message { trace: None, ..message() });
        let spans = batch([&one, &plain].into_iter(), (NOW, NOW));
        let [whole, below] = &spans[..] else { panic!("{spans:?}") };

        assert_eq!(whole.links, [one.span().unwrap()]);
        assert_eq!((below.parent, &below.links[..]), (one.span(), &[whole.context][..]));
        assert_ne!(whole.context.trace_id(), below.context.trace_id());
        assert!(whole.attributes.contains(&("messaging.batch.message_count", 2_i64.into())));
    }

    #[test]
    fn a_rebuilt_trace_has_the_spans_that_its_attempts_had() {
        let message = failed();
        let spans = rebuilt(&message, NOW);

        let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
        assert_eq!(names, [ACCEPT, "call provider", "call provider", "message failed"]);
        assert_eq!(spans[2].context, message.attempt_span().unwrap());
        assert!(spans[1..].iter().all(|span| span.parent == message.span()));
        assert!(spans[1..].iter().all(|span| span.error.as_deref() == Some("PROVIDER_REJECTED")));
    }

    #[test]
    fn a_report_that_ends_a_message_has_two_spans() {
        let report = |from| {
            let step = ReportApplied { message: message(), from, due_in: None, event: None };
            of_step(&step.into(), (NOW, NOW))
        };

        let names = |spans: Vec<Span>| spans.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(report(Status::Sent)), ["apply report", "message delivered"]);
        assert_eq!(names(report(Status::Delivered)), ["apply report"]);
    }
}
