//! Undocumented behaviour of vendors.

use std::{collections::HashSet, sync::Arc};

use domain::messaging::outcome::Outcome;
use serde_json::{Value, json};

use super::{
    Canned, Fixture, each,
    rules::{THROTTLED, UNKNOWN, impatient, outcome_of},
};
use crate::{
    support::kind,
    vendor_server::{Then, answer},
};

#[tokio::test]
async fn a_success_without_the_promised_body_is_an_unknown_outcome() {
    each(|fixture| async move {
        if !fixture.is_strict {
            return;
        }
        let portal = "<html><body>Please log in</body></html>";
        let status = fixture.accepted.status;
        for then in [
            answer(status, "", ""),
            answer(status, "", "\0\u{1}{"),
            answer(status, "Content-Type: application/json\r\n", "{}"),
            answer(status, "Content-Type: application/json\r\n", "[]"),
            answer(status, "Content-Type: application/json\r\n", "null"),
            answer("200 OK", "Content-Type: text/html\r\n", portal),
            answer("204 No Content", "", ""),
        ] {
            let outcome = outcome_of(&fixture, then).await;
            assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn a_response_that_is_not_http_is_an_unknown_outcome() {
    each(|fixture| async move {
        let outcome = outcome_of(&fixture, Then::Answer("SSH-2.0-OpenSSH_9.2\r\n".into())).await;
        assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_response_that_never_ends_is_an_unknown_outcome() {
    each(|fixture| async move {
        let Canned { status, headers, body } = fixture.accepted;
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: 60000\r\n{headers}\r\n{body}");

        let outcome = outcome_of(&fixture, Then::Drip(head)).await;

        assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_truncated_response_is_an_unknown_outcome() {
    each(|fixture| async move {
        let Canned { status, headers, body } = fixture.accepted;
        let broken = format!("HTTP/1.1 {status}\r\nContent-Length: 60000\r\n{headers}\r\n{body}");

        let outcome = outcome_of(&fixture, Then::Answer(broken)).await;

        assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_huge_response_is_an_unknown_outcome() {
    each(|fixture| async move {
        let Canned { status, headers, body } = fixture.accepted;
        let huge = format!("{body}{}", " ".repeat((64 << 10) + 1));

        let outcome = outcome_of(&fixture, answer(status, headers, &huge)).await;

        assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_huge_refusal_is_judged_by_its_status() {
    each(|fixture| async move {
        let huge = answer("429 Slow Down", "", &" ".repeat((64 << 10) + 1));

        let outcome = outcome_of(&fixture, huge).await;

        assert_eq!(kind(&outcome), THROTTLED, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn every_response_has_an_outcome() {
    each(|fixture| async move {
        let message = fixture.message();
        let answers = fixture.refusals.iter().map(|(refusal, ..)| *refusal);
        let mut shapes = HashSet::new();
        for canned in answers.chain([fixture.accepted]) {
            // Responses with the same fields would be disturbed in the same way.
            if !shapes.insert((canned.status, shape(canned.body))) {
                continue;
            }
            for body in disturbed(canned.body) {
                let server = fixture.server(answer(canned.status, canned.headers, &body)).await;
                let outcome = fixture.provider(&server.url).send(&message).await;
                assert!(is_sound(&outcome), "{}: {body}: {outcome:?}", fixture.kind);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn outcomes_show_tenants_nothing_of_the_call() {
    each(|fixture| async move {
        let outcomes = [
            outcome_of(&fixture, answer("401 Unauthorized", "", "")).await,
            outcome_of(&fixture, answer("400 Bad Request", "", "")).await,
            outcome_of(&fixture, answer("500 Internal Server Error", "", "")).await,
            outcome_of(&fixture, Then::HangUp).await,
            impatient(&fixture, "http://no-such-host.invalid").await,
        ];
        for outcome in outcomes {
            let told = format!("{outcome:?}");
            for private in fixture.secrets.iter().chain([&"http://", &fixture.recipient]) {
                assert!(!told.contains(private), "{}: {private}: {told}", fixture.kind);
            }
        }
    })
    .await;
}

/// True if an outcome can be stored: its texts are not empty and have a limited length.
fn is_sound(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Accepted { reference, .. } => reference.as_ref().is_none_or(|it| !it.is_empty()),
        Outcome::Rejected(failure)
        | Outcome::Unknown(failure)
        | Outcome::NotAccepted { failure, .. } => {
            !failure.message.is_empty()
                && failure.vendor_code.as_ref().is_none_or(|code| !code.is_empty())
        }
    }
}

/// Returns the pointers to all values of a JSON body; none if it is not JSON.
fn shape(body: &str) -> Vec<String> {
    serde_json::from_str::<Value>(body).map(|whole| places(&whole, "")).unwrap_or_default()
}

/// Returns variants of a JSON body, with each of its values in turn replaced by unexpected ones.
fn disturbed(body: &str) -> Vec<String> {
    let Ok(whole) = serde_json::from_str::<Value>(body) else { return vec!["\0".into()] };
    let strange = [
        json!(null),
        json!(987_654_321),
        json!(-1.5),
        json!("no such thing"),
        json!([]),
        json!({}),
    ];
    let mut bodies = Vec::new();
    for place in places(&whole, "") {
        for value in &strange {
            let mut body = whole.clone();
            if let Some(found) = body.pointer_mut(&place) {
                *found = value.clone();
            }
            bodies.push(body.to_string());
        }
    }
    bodies
}

/// Returns the pointers (RFC 6901) to a value and to all values within it.
fn places(value: &Value, at: &str) -> Vec<String> {
    let mut found = vec![at.to_owned()];
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                found.extend(places(item, &format!("{at}/{index}")));
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                found.extend(places(field, &format!("{at}/{key}")));
            }
        }
        _ => {}
    }
    found
}

/// Sends through a vendor in every way that makes an adapter write to the log.
pub(crate) async fn misadventures(fixture: Arc<Fixture>) {
    let message = fixture.message();
    for then in [
        fixture.accepted.then(&message),
        answer("401 Unauthorized", "", ""),
        answer("200 OK", "", "garbage"),
        Then::HangUp,
        Then::Answer("SSH-2.0-OpenSSH_9.2\r\n".into()),
    ] {
        outcome_of(&fixture, then).await;
    }
    let server = fixture.server(answer("401 Unauthorized", "", "")).await;
    fixture.provider(&server.url).check().await;
    let server = fixture.server(answer("401 Unauthorized", "", "")).await;
    fixture.provider(&server.url).look_up(&message).await;
    impatient(&fixture, "http://127.0.0.1:1").await;
}
