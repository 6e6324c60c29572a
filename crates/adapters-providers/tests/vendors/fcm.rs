//! Firebase Cloud Messaging: access tokens.

use std::sync::Arc;

use adapters_providers::Declaration;
use domain::{
    messaging::{delivery::FailureCode as Code, outcome::Outcome},
    providers::provider::CheckStatus,
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

use crate::{
    conformance::{
        Canned,
        fcm::{GRANT, KEY},
    },
    scripted::Scripted,
    support::{credentials, declaration, kind, made, message},
};

const SENT: Canned = Canned { status: "200 OK", headers: "", body: r#"{"name":"projects/p/1"}"# };

fn provider(url: &str) -> Arc<dyn MessagingProvider> {
    made(&Declaration {
        credentials: credentials([("project_id", "atumpan-test"), ("service_account", KEY)]),
        options: [("token_url".into(), format!("{url}/token"))].into(),
        ..declaration("fcm", Channel::Push, url)
    })
}

#[tokio::test]
async fn concurrent_calls_fetch_one_token() {
    let server = Scripted::start(vec![("/token", GRANT), (":send", SENT)]).await;
    let provider = provider(&server.url);

    let sends: Vec<_> = (0..8)
        .map(|_| {
            let provider = Arc::clone(&provider);
            tokio::spawn(async move {
                provider.send(&message(Channel::Push, "device", "Akwaaba")).await
            })
        })
        .collect();
    for send in sends {
        assert!(matches!(send.await.unwrap(), Outcome::Accepted { .. }));
    }

    assert_eq!(server.requests(":send").len(), 8);
    let fetched = server.requests("/token");
    assert_eq!(fetched.len(), 1, "{fetched:?}");
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=eyJhbGc";
    assert!(fetched[0].contains(form), "{fetched:?}");
    assert!(fetched[0].contains("content-type: application/x-www-form-urlencoded\r\n"));
}

#[tokio::test]
async fn a_refused_token_is_fetched_again() {
    let refusal = Canned {
        status: "401 Unauthorized",
        headers: "",
        body: r#"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#,
    };
    let other = Canned { body: r#"{"access_token":"ya29.n3w","expires_in":3599}"#, ..GRANT };
    let answers = vec![("/token", GRANT), ("/token", other), (":send", refusal), (":send", SENT)];
    let server = Scripted::start(answers).await;
    let provider = provider(&server.url);
    let push = message(Channel::Push, "device", "Akwaaba");

    assert_eq!(kind(&provider.send(&push).await), ('N', Some(Code::ProviderAuth)));
    assert_eq!(kind(&provider.send(&push).await), ('A', None));

    let sent = server.requests(":send");
    assert!(sent[0].contains("authorization: Bearer ya29.t0k3n\r\n"), "{sent:?}");
    assert!(sent[1].contains("authorization: Bearer ya29.n3w\r\n"), "{sent:?}");
}

#[tokio::test]
async fn a_nearly_expired_token_is_not_used_twice() {
    let short = Canned { body: r#"{"access_token":"ya29.t0k3n","expires_in":60}"#, ..GRANT };
    let server = Scripted::start(vec![("/token", short), (":send", SENT)]).await;
    let provider = provider(&server.url);
    let push = message(Channel::Push, "device", "Akwaaba");

    for _ in 0..2 {
        assert_eq!(kind(&provider.send(&push).await), ('A', None));
    }

    assert_eq!(server.requests("/token").len(), 2);
}

#[tokio::test]
async fn without_a_token_nothing_is_sent() {
    for (status, body, code) in [
        ("400 Bad Request", r#"{"error":"invalid_grant"}"#, Code::ProviderAuth),
        ("500 Internal Server Error", "", Code::ProviderUnavailable),
        ("200 OK", "<html>", Code::ProviderUnavailable),
    ] {
        let refusal = Canned { status, headers: "", body };
        let server = Scripted::start(vec![("/token", refusal), (":send", SENT)]).await;
        let provider = provider(&server.url);

        let outcome = provider.send(&message(Channel::Push, "device", "Akwaaba")).await;

        assert_eq!(kind(&outcome), ('N', Some(code)), "{status}: {outcome:?}");
        assert!(server.requests(":send").is_empty());
        assert_eq!(provider.check().await.status, CheckStatus::Down);
    }
}

#[tokio::test]
async fn an_oversized_notification_is_not_sent() {
    let server = Scripted::start(vec![("/token", GRANT), (":send", SENT)]).await;

    let push = message(Channel::Push, "device", &"€".repeat(1400));
    let outcome = provider(&server.url).send(&push).await;

    assert_eq!(kind(&outcome), ('R', Some(Code::ProviderRejected)));
    assert!(server.requests("/").is_empty());
}

#[tokio::test]
async fn a_check_sends_nothing_and_uses_a_new_token() {
    let server = Scripted::start(vec![("/token", GRANT), (":send", SENT)]).await;
    let provider = provider(&server.url);

    for _ in 0..2 {
        assert_eq!(provider.check().await.status, CheckStatus::Up);
    }

    assert_eq!(server.requests("/token").len(), 2);
    for request in server.requests(":send") {
        assert!(request.contains(r#"{"validate_only":true,"#), "{request}");
    }
}
