//! Traces as a collector gets them from the real program, which is built with the feature `otel`.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

mod collector;
mod stage;

use testkit::until;

use self::{collector::hex, stage::Stage};

/// Context of a caller that samples, and its trace.
const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_one_trace_from_the_request_to_the_webhook() {
    let stage = Stage::open().await;
    let program = stage.serve(&[("OTEL_TRACES_SAMPLER_ARG", "0")]);
    let tenant = program.tenant().await;
    stage.subscribe(&tenant, &program).await;

    let message = Stage::send(&tenant.at(&program.url).with("traceparent", GIVEN)).await;

    let named = |name: &str| stage.collector.named(TRACE, name);
    for name in
        ["POST /messages/send", "accept message", "write message", "call provider", "call webhook"]
    {
        until(name, async || named(name).is_some()).await;
    }
    let id = |name: &str| hex(&named(name).unwrap().span_id);
    let parent = |name: &str| hex(&named(name).unwrap().parent_span_id);
    assert_eq!(parent("POST /messages/send"), CALLER);
    assert_eq!(parent("accept message"), id("POST /messages/send"));
    for name in ["write message", "call provider", "call webhook"] {
        assert_eq!(parent(name), id("accept message"), "{name}");
    }
    assert!(message.ends_with(&id("accept message")), "{message}");

    // The batch is a trace of its own, since it is of several messages, and linked with each.
    let link = &named("write message").unwrap().links[0];
    let batch = stage.collector.named(&hex(&link.trace_id), "write batch").unwrap();
    assert_eq!(hex(&batch.links[0].span_id), id("accept message"));

    let told = |span: &str| format!("00-{TRACE}-{}-01", id(span));
    assert_eq!(stage.handed_over()[0].headers["traceparent"], told("call provider"));
    assert_eq!(stage.receiver.received()[0].headers["traceparent"], told("call webhook"));
    assert_eq!(stage.collector.service(), "shop");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_and_the_delivery_are_spans_of_the_trace_of_a_message() {
    let stage = Stage::open().await;
    stage.simulate();
    let program = stage.serve(&[]);
    let tenant = program.tenant().await;

    Stage::send(&tenant.at(&program.url).with("traceparent", GIVEN)).await;

    for name in ["accept message", "apply report", "message delivered"] {
        until(name, async || stage.collector.named(TRACE, name).is_some()).await;
    }
    let span = |name: &str| stage.collector.named(TRACE, name).unwrap();
    for name in ["apply report", "message delivered"] {
        assert_eq!(span(name).parent_span_id, span("accept message").span_id, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_messages_that_are_not_sampled_those_that_fail_are_exported() {
    let stage = Stage::open().await;
    let program = stage.serve(&[("OTEL_TRACES_SAMPLER", "always_off")]);
    let tenant = program.tenant().await;
    let caller = tenant.at(&program.url);

    let good = Stage::send(&caller.with("traceparent", GIVEN)).await;
    let bad = Stage::send_refused(&caller).await;

    until("the failure is exported", async || {
        stage.collector.named(&bad, "message failed").is_some()
    })
    .await;
    let failed = stage.collector.named(&bad, "message failed").unwrap();
    assert_eq!(failed.status.unwrap().message, "INVALID_RECIPIENT");
    let attempt = stage.collector.named(&bad, "call provider").unwrap();
    let root = stage.collector.named(&bad, "accept message").unwrap();
    assert_eq!(attempt.parent_span_id, root.span_id);
    assert!(root.parent_span_id.is_empty());
    assert!(stage.collector.of(&good).is_empty() && stage.collector.of(TRACE).is_empty());
    assert!(stage.handed_over().iter().all(|it| !it.headers.contains_key("traceparent")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_stays_in_its_trace_when_another_process_delivers_it() {
    let stage = Stage::open().await;
    let mut accepting = stage.serve(&[("ATUMPAN_WORKERS", "0")]);
    let tenant = accepting.tenant().await;
    Stage::send(&tenant.at(&accepting.url).with("traceparent", GIVEN)).await;

    accepting.stop().unwrap();
    let accepted = stage.collector.named(TRACE, "accept message");
    assert!(accepted.is_some(), "a program that stops exports what is left");
    let _delivering = stage.serve(&[]);

    until("the attempt is exported", async || {
        stage.collector.named(TRACE, "call provider").is_some()
    })
    .await;
    let attempt = stage.collector.named(TRACE, "call provider").unwrap();
    assert_eq!(attempt.parent_span_id, accepted.unwrap().span_id);
}
