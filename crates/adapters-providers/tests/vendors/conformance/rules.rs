//! Required outcomes of responses, or of their absence.

use std::time::Duration;

use adapters_providers::{Declaration, Kind};
use chrono::{DateTime, TimeDelta};
use domain::{
    messaging::{
        callback::{Callback, CallbackMethod, CallbackRefused},
        delivery::FailureCode as Code,
        outcome::Outcome,
    },
    providers::{
        breaker::{Breaker, BreakerSignal},
        provider::CheckStatus,
    },
};
use tokio::{net::TcpListener, time::timeout};

use super::{FIXTURES, Fixture, each, filled};
use crate::{
    support::{kind, made},
    vendor_server::{Then, answer, nobody},
};

pub(super) const UNKNOWN: (char, Option<Code>) = ('U', Some(Code::UnknownOutcome));
const UNAVAILABLE: (char, Option<Code>) = ('N', Some(Code::ProviderUnavailable));
pub(super) const THROTTLED: (char, Option<Code>) = ('N', Some(Code::ProviderThrottled));

/// Returns the outcome of a message after the vendor's server did `then`.
pub(super) async fn outcome_of(fixture: &Fixture, then: Then) -> Outcome {
    let never_ends = matches!(then, Then::Drip(_) | Then::FallSilent);
    let server = fixture.server(then).await;
    if never_ends {
        return impatient(fixture, &server.url).await;
    }
    fixture.provider(&server.url).send(&fixture.message()).await
}

/// Returns the outcome of a message sent to `url` with a short time-out.
pub(super) async fn impatient(fixture: &Fixture, url: &str) -> Outcome {
    let patience = Some(Duration::from_millis(1_500));
    let declaration = Declaration { timeout: patience, ..fixture.declared(url) };
    made(&declaration).send(&fixture.message()).await
}

#[test]
fn every_vendor_over_http_has_a_fixture() {
    let known: Vec<_> = FIXTURES.iter().map(|fixture| fixture().kind).collect();
    for kind in Kind::all() {
        let speaks_http = !matches!(kind.as_str(), "simulated" | "smtp");
        assert_eq!(known.contains(&kind.as_str()), speaks_http, "{kind}");
    }
}

#[tokio::test]
async fn the_documented_request_is_accepted_with_a_reference() {
    each(|fixture| async move {
        let kind = fixture.kind;
        let message = fixture.message();
        let server = fixture.server(fixture.accepted.then(&message)).await;

        let outcome = fixture.provider(&server.url).send(&message).await;

        let reference = fixture.reference.map(|reference| filled(reference, &message));
        let expected = Outcome::Accepted { reference, follow_up: fixture.follow_up };
        assert_eq!(outcome, expected, "{kind}");
        let request = server.request.await.unwrap();
        for part in fixture.request {
            let part = filled(part, &message).replace("{url}", &server.url);
            assert!(request.contains(&part), "{kind}: {part:?} is not in {request}");
        }
    })
    .await;
}

#[tokio::test]
async fn every_class_of_refusal_is_distinguished() {
    each(|fixture| async move {
        for (refusal, outcome, code, vendor_code) in fixture.refusals {
            let found = outcome_of(&fixture, refusal.then(&fixture.message())).await;
            let told = format!("{}: {refusal:?}: {found:?}", fixture.kind);
            assert_eq!(kind(&found), (*outcome, Some(*code)), "{told}");
            assert_eq!(code_of_vendor(&found), Some(*vendor_code), "{told}");
            let shown = format!("{found:?}");
            for private in fixture.sender.iter().chain([&fixture.recipient]) {
                assert!(!shown.contains(private), "{private}: {told}");
            }
        }
    })
    .await;
}

fn code_of_vendor(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Outcome::Accepted { .. } => None,
        Outcome::Rejected(failure)
        | Outcome::NotAccepted { failure, .. }
        | Outcome::Unknown(failure) => failure.vendor_code.as_deref(),
    }
}

/// Vendors without a response of their own for it.
const NEVER_FOR_A_RECIPIENT: &[&str] =
    &["africas-talking-voice", "mailgun", "mnotify", "resend", "sendgrid"];

#[tokio::test]
async fn refusals_of_recipients_leave_the_breaker_closed() {
    each(|fixture| async move {
        let mut signals = Vec::new();
        for (refusal, _, code, _) in fixture.refusals {
            if *code == Code::RecipientUnreachable {
                let outcome = outcome_of(&fixture, refusal.then(&fixture.message())).await;
                signals.push(BreakerSignal::of(&outcome));
            }
        }
        let has_none = NEVER_FOR_A_RECIPIENT.contains(&fixture.kind);
        assert_eq!(signals.is_empty(), has_none, "{}", fixture.kind);
        let run = signals.iter().cycle().take(signals.len() * 32);
        let now = DateTime::UNIX_EPOCH;
        let breaker = run.fold(Breaker::CLOSED, |breaker, sign| breaker.after(*sign, now));
        assert_eq!(breaker, Breaker::CLOSED, "{}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_throttling_vendor_sets_the_time_to_wait() {
    each(|fixture| async move {
        for (value, seconds) in [("120", 120), ("Tue, 14 Nov 2023 22:13:50 GMT", 30)] {
            let header = format!("Retry-After: {value}\r\n");

            let outcome = outcome_of(&fixture, answer("429 Slow Down", &header, "")).await;

            assert_eq!(kind(&outcome), THROTTLED, "{}: {outcome:?}", fixture.kind);
            let Outcome::NotAccepted { retry_after, .. } = outcome else { panic!("{outcome:?}") };
            assert_eq!(retry_after, Some(TimeDelta::seconds(seconds)), "{}", fixture.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn an_unavailable_vendor_has_accepted_nothing() {
    each(|fixture| async move {
        let outcome = outcome_of(&fixture, answer("503 Service Unavailable", "", "")).await;

        assert_eq!(kind(&outcome), UNAVAILABLE, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_server_error_is_an_unknown_outcome() {
    each(|fixture| async move {
        for status in ["500 Internal Server Error", "502 Bad Gateway"] {
            let outcome = outcome_of(&fixture, answer(status, "", "")).await;

            assert_eq!(kind(&outcome), UNKNOWN, "{} {status}: {outcome:?}", fixture.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn a_failed_connection_has_accepted_nothing() {
    each(|fixture| async move {
        let refused = format!("http://{}", nobody().await);
        for url in [refused.as_str(), "http://no-such-host.invalid"] {
            let outcome = fixture.provider(url).send(&fixture.message()).await;

            assert_eq!(kind(&outcome), UNAVAILABLE, "{}: {outcome:?}", fixture.kind);
            assert!(!format!("{outcome:?}").contains(url), "{}: {outcome:?}", fixture.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_without_tls_has_accepted_nothing() {
    each(|fixture| async move {
        let server = fixture.server(Then::Blurt("SSH-2.0-OpenSSH_9.2\r\n")).await;

        let outcome = impatient(&fixture, &server.url.replace("http:", "https:")).await;

        assert_eq!(kind(&outcome), UNAVAILABLE, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn silence_before_the_request_has_accepted_nothing() {
    each(|fixture| async move {
        // The request is written after the TLS handshake, which this server never answers.
        let server = fixture.server(Then::FallSilent).await;

        let url = server.url.replace("http:", "https:");
        let outcome = fixture.provider(&url).send(&fixture.message()).await;

        assert_eq!(kind(&outcome), UNAVAILABLE, "{}: {outcome:?}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn silence_after_the_request_is_an_unknown_outcome() {
    each(|fixture| async move {
        let server = fixture.server(Then::FallSilent).await;

        let outcome = impatient(&fixture, &server.url).await;

        assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
        let request = server.request.await.unwrap();
        assert!(request.contains("\r\n\r\n"), "{}: {request}", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_connection_closed_without_a_response_is_an_unknown_outcome() {
    each(|fixture| async move {
        // How much of the request the server has read cannot be known here.
        let mut ends = vec![Then::HangUp];
        // If the vendor first requires a token, the call that was not read would be the one for the
        // token.
        if fixture.answers_before.is_empty() {
            ends.push(Then::HangUpUnread);
        }
        for then in ends {
            let outcome = outcome_of(&fixture, then).await;
            assert_eq!(kind(&outcome), UNKNOWN, "{}: {outcome:?}", fixture.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    each(|fixture| async move {
        let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let location = format!("Location: http://{}/\r\n", elsewhere.local_addr().unwrap());
        for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
        {
            let outcome = outcome_of(&fixture, answer(status, &location, "")).await;
            let is_accepted = matches!(outcome, Outcome::Accepted { .. });
            assert!(!is_accepted, "{} {status}: {outcome:?}", fixture.kind);
        }
        let followed = timeout(Duration::from_millis(50), elsewhere.accept()).await;
        assert!(followed.is_err(), "{}: followed", fixture.kind);
    })
    .await;
}

#[tokio::test]
async fn a_check_shows_if_the_account_can_be_used() {
    each(|fixture| async move {
        let refusal = answer("401 Unauthorized", "", "");
        let all_is_well = fixture.healthy.then(&fixture.message());
        for (then, expected) in [(all_is_well, CheckStatus::Up), (refusal, CheckStatus::Down)] {
            let server = fixture.server(then).await;
            let check = fixture.provider(&server.url).check().await;
            assert_eq!(check.status, expected, "{}: {check:?}", fixture.kind);
        }
        let nowhere = format!("http://{}", nobody().await);
        let check = fixture.provider(&nowhere).check().await;
        assert_eq!(check.status, CheckStatus::Down, "{}: {check:?}", fixture.kind);
        for private in fixture.secrets.iter().chain([&nowhere.as_str()]) {
            assert!(!check.message.contains(private), "{}: {check:?}", fixture.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn a_callback_without_proof_is_refused() {
    each(|fixture| async move {
        let provider = fixture.provider("http://127.0.0.1:1");
        for method in [CallbackMethod::Get, CallbackMethod::Post] {
            for (query, body) in [("", ""), ("token=", "{}"), ("token=0", "[]"), ("", "a=b")] {
                let pair = |pair: (&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
                let callback = Callback {
                    method,
                    url: format!("https://notify.example.com/callbacks/providers/x?{query}"),
                    query: query.split_once('=').map(pair).into_iter().collect(),
                    headers: Vec::new(),
                    body: body.as_bytes().to_vec(),
                };
                let received = provider.receive(&callback);
                // A malformed callback would be one that was read.
                let is_refused = matches!(
                    received,
                    Err(CallbackRefused::Unauthorized | CallbackRefused::Unsupported)
                );
                assert!(is_refused, "{} {callback:?}: {received:?}", fixture.kind);
            }
        }
    })
    .await;
}
