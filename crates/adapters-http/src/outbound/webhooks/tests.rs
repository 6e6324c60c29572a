//! Calls over real sockets.

mod answers;
mod hostile;
mod name_server;
mod rebinding;
mod receiver;
mod tls;

use std::{env, net::IpAddr};

use domain::{shared::webhook_event::WebhookEvent, webhooks::webhook::WebhookSecret};

use self::receiver::Receiver;
use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Resolver that returns the same addresses for every name.
struct AlwaysAt(Vec<IpAddr>);

#[async_trait]
impl Names for AlwaysAt {
    async fn addresses(
        &self,
        _organization: Id<Organization>,
        _name: &str,
    ) -> Result<Vec<IpAddr>, NoPlace> {
        Ok(self.0.clone())
    }
}

fn webhooks(allow_private: bool, addresses: &[&str]) -> HttpWebhooks {
    let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
    with_names(allow_private, Arc::new(AlwaysAt(addresses)))
}

fn with_names(allow_private: bool, names: Arc<dyn Names>) -> HttpWebhooks {
    let settings = WebhookSettings { allow_private, timeout: TIMEOUT };
    let names = (Arc::clone(&names), names);
    HttpWebhooks::with_names(settings, names, Handle::current()).unwrap()
}

/// Returns a client that may call this machine, with that timeout.
fn local(timeout: Duration) -> HttpWebhooks {
    let settings = WebhookSettings { allow_private: true, timeout };
    HttpWebhooks::new(settings, Handle::current()).unwrap()
}

fn tenant() -> Id<Organization> {
    "018bcfe5-6800-7000-8000-0000000000a1".parse().unwrap()
}

fn call(url: impl Into<String>) -> WebhookCall {
    WebhookCall {
        organization: tenant(),
        url: url.into(),
        secrets: vec![WebhookSecret::stored("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3".into())],
        id: "018bcfe5-6800-7000-8000-000000000001".into(),
        event: WebhookEvent::MessageStatusUpdated,
        body: r#"{"id":"018bcfe5-6800-7000-8000-000000000001","data":{}}"#.into(),
        at: DateTime::from_timestamp(1_731_705_121, 0).unwrap(),
        trace: None,
    }
}

const fn failed(failure: CallFailure) -> CallOutcome {
    CallOutcome::Failed(failure)
}

const fn answered(status: u16) -> CallOutcome {
    CallOutcome::Answered { status, retry_after: None }
}

#[tokio::test]
async fn a_call_arrives_signed_and_as_it_was_made() {
    let receiver = Receiver::answering(OK).await;
    let call = call(receiver.url("/hooks/1?key=a%20b"));

    let result = local(TIMEOUT).call(&call).await;

    assert_eq!(result.outcome, answered(200));
    assert!(result.took > TimeDelta::zero() && result.took < TimeDelta::seconds(15));
    let [request] = &receiver.requests()[..] else { panic!("one request") };
    assert!(request.head.starts_with("POST /hooks/1?key=a%20b HTTP/1.1\r\n"), "{}", request.head);
    for line in [
        "\r\nuser-agent: atumpan/",
        "\r\ncontent-type: application/json\r\n",
        "\r\nx-service-event: message.status.updated\r\n",
        "\r\nx-service-signature: ",
        "\r\nwebhook-id: 018bcfe5-6800-7000-8000-000000000001\r\n",
        "\r\nwebhook-timestamp: 1731705121\r\n",
        "\r\nwebhook-signature: v1,",
    ] {
        assert!(request.head.contains(line), "{line} in {}", request.head);
    }
    assert_eq!(request.body, call.body);
}

#[tokio::test]
async fn calls_one_after_another_share_a_connection() {
    let receiver = Receiver::answering(OK).await;
    let webhooks = local(TIMEOUT);

    for _ in 0..3 {
        let result = webhooks.call(&call(receiver.url("/"))).await;
        assert_eq!(result.outcome, answered(200));
    }

    assert_eq!((receiver.requests().len(), receiver.connections()), (3, 1));
}

#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    let proxy = Receiver::answering(OK).await;
    // The environment of this process is shared with other tests.
    let mut child = tokio::process::Command::new(env::current_exe().unwrap());
    child
        .args(["--exact", "outbound::webhooks::tests::calls_one_after_another_share_a_connection"]);
    for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(variable, proxy.url(""));
    }
    let output = child.env_remove("no_proxy").env_remove("NO_PROXY").output().await.unwrap();

    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("1 passed; 0 failed"), "{printed}");
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_connection_outlives_the_runtime_of_who_called_first() {
    let receiver = Receiver::answering(OK).await;
    let webhooks = Arc::new(local(TIMEOUT));

    let (theirs, first) = (Arc::clone(&webhooks), call(receiver.url("/")));
    let elsewhere = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(theirs.call(&first)).outcome
    };
    let outcome = tokio::task::spawn_blocking(elsewhere).await.unwrap();
    assert_eq!(outcome, answered(200));

    assert_eq!(webhooks.call(&call(receiver.url("/"))).await.outcome, answered(200));
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_url_is_kept_as_it_was_written() {
    let webhooks = webhooks(false, &[]);
    for url in
        ["https://example.com", "https://Example.com:8443/a?b=c#d", "https://münchen.example/"]
    {
        assert_eq!(webhooks.check(tenant(), url).await.as_deref(), Ok(url));
    }
    assert_eq!(
        webhooks.check(tenant(), " https://example.com\n").await.as_deref(),
        Ok("https://example.com")
    );
    let longest = format!("https://example.com/{}", "é".repeat(2_028));
    assert_eq!(webhooks.check(tenant(), &longest).await.as_deref(), Ok(longest.as_str()));
}

#[tokio::test]
async fn refuses_an_invalid_url_with_its_reason() {
    let too_long = format!("https://example.com/{}", "é".repeat(2_029));
    for (url, refused) in [
        ("", UrlRefused::Invalid),
        ("example.com/hook", UrlRefused::Invalid),
        ("https://", UrlRefused::Invalid),
        ("https://exa mple.com", UrlRefused::Invalid),
        ("https://example.com/a\tb", UrlRefused::Invalid),
        ("https://example.com/a\nb", UrlRefused::Invalid),
        ("https://example.com:99999", UrlRefused::Invalid),
        ("https://[fe80::1%25eth0]/", UrlRefused::Invalid),
        ("http://example.com", UrlRefused::Scheme),
        ("HTTP://example.com", UrlRefused::Scheme),
        ("ftp://example.com", UrlRefused::Scheme),
        ("file:///etc/passwd", UrlRefused::Scheme),
        ("gopher://example.com", UrlRefused::Scheme),
        ("javascript:alert(1)", UrlRefused::Scheme),
        ("https://ama@example.com", UrlRefused::UserInfo),
        ("https://:secret@example.com", UrlRefused::UserInfo),
        (&too_long, UrlRefused::TooLong),
    ] {
        assert_eq!(webhooks(false, &[]).check(tenant(), url).await, Err(refused), "{url}");
    }
    let development = webhooks(true, &[]);
    assert!(development.check(tenant(), "http://example.com").await.is_ok());
    assert_eq!(development.check(tenant(), "ftp://example.com").await, Err(UrlRefused::Scheme));
}
