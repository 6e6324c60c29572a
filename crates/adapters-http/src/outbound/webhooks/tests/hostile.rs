//! URLs that lead to forbidden addresses.

use super::*;

/// Hosts that lead to this machine. None of them is called in production.
const THIS_MACHINE: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "127.0.0.1.",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "0x7f.1",
    "0x7f000001",
    "0X7F.0.0.0x1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::FFFF:7F00:1]",
    "[64:ff9b::127.0.0.1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ⓛocalhost",
    "loopback.example.com",
];

/// Hosts that are never called, not even in development.
const NOBODYS: &[&str] = &[
    "0",
    "0.0.0.0",
    "0.0.0.0.",
    "0x0",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "100.64.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:0.0.0.0]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[2001:0:7f00:1::]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[3fff::1]",
    "[5f00::1]",
    "[100::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
];

/// Hosts of private networks.
const PRIVATE: &[&str] = &[
    "10.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "[fc00::1]",
    "[fd12::1]",
];

#[tokio::test]
async fn no_url_leads_to_this_machine_or_its_networks() {
    let (v4, v6) = listeners().await;
    // Every name resolves to this machine.
    let webhooks = webhooks(false, &["127.0.0.1", "::1"]);
    let hosts = [THIS_MACHINE, NOBODYS, PRIVATE].concat();
    assert!(hosts.len() >= 40, "{}", hosts.len());

    for host in hosts {
        for port in [v4.port(), v6.port()] {
            let url = format!("https://{host}:{port}/");
            assert_eq!(webhooks.check(tenant(), &url).await, Err(UrlRefused::Address), "{url}");
            let outcome = webhooks.call(&call(&*url)).await.outcome;
            assert_eq!(outcome, failed(CallFailure::AddressRefused), "{url}");
        }
        let plain = format!("http://{host}:{}/", v4.port());
        assert_eq!(webhooks.check(tenant(), &plain).await, Err(UrlRefused::Scheme), "{plain}");
        let outcome = webhooks.call(&call(&*plain)).await.outcome;
        assert_eq!(outcome, failed(CallFailure::UrlRefused), "{plain}");
    }
    assert_eq!((v4.connections(), v6.connections()), (0, 0));
}

#[tokio::test]
async fn a_user_name_hides_no_host() {
    let (v4, _) = listeners().await;
    let port = v4.port();
    for url in [
        format!("https://example.com@127.0.0.1:{port}/"),
        format!("https://example.com:443@127.0.0.1:{port}/"),
        format!("https://example.com%23@127.0.0.1:{port}/"),
    ] {
        for allow_private in [false, true] {
            let webhooks = webhooks(allow_private, &["127.0.0.1"]);
            assert_eq!(webhooks.check(tenant(), &url).await, Err(UrlRefused::UserInfo), "{url}");
            let outcome = webhooks.call(&call(&*url)).await.outcome;
            assert_eq!(outcome, failed(CallFailure::UrlRefused), "{url}");
        }
    }
    for url in [
        format!("https://127.0.0.1:{port}\\@example.com/"),
        format!("https:127.0.0.1:{port}/"),
        format!("https:///127.0.0.1:{port}/"),
        format!("https:\\\\127.0.0.1:{port}/"),
    ] {
        assert_eq!(
            webhooks(false, &[]).check(tenant(), &url).await,
            Err(UrlRefused::Address),
            "{url}"
        );
    }
    assert_eq!(v4.connections(), 0);
}

#[tokio::test]
async fn development_may_call_this_machine_and_never_metadata_or_links() {
    let (v4, _) = listeners().await;
    let webhooks = webhooks(true, &["127.0.0.1"]);
    for host in NOBODYS {
        let url = format!("http://{host}:{}/", v4.port());
        assert_eq!(webhooks.check(tenant(), &url).await, Err(UrlRefused::Address), "{url}");
        let outcome = webhooks.call(&call(&*url)).await.outcome;
        assert_eq!(outcome, failed(CallFailure::AddressRefused), "{url}");
    }
    assert_eq!(v4.connections(), 0);

    for host in ["127.0.0.1", "0x7f.1", "localhost", "hooks.example.com"] {
        let url = format!("http://{host}:{}/", v4.port());
        assert_eq!(webhooks.check(tenant(), &url).await.as_deref(), Ok(&*url));
        assert_eq!(webhooks.call(&call(&*url)).await.outcome, answered(200), "{url}");
    }
    for host in PRIVATE {
        assert!(webhooks.check(tenant(), &format!("http://{host}/")).await.is_ok(), "{host}");
    }
}

#[tokio::test]
async fn the_system_resolves_this_machine_s_name_to_what_is_refused() {
    let settings = WebhookSettings { allow_private: false, timeout: TIMEOUT };
    let webhooks = HttpWebhooks::new(settings, Handle::current()).unwrap();
    let (v4, _) = listeners().await;
    let url = format!("https://localhost:{}/", v4.port());

    assert_eq!(webhooks.check(tenant(), &url).await, Err(UrlRefused::Address));
    let outcome = webhooks.call(&call(url)).await.outcome;

    assert_eq!((outcome, v4.connections()), (failed(CallFailure::AddressRefused), 0));
}

/// Returns receivers on each loopback address.
async fn listeners() -> (Receiver, Receiver) {
    let v4 = Receiver::answering(OK).await;
    let v6 = Receiver::running("[::1]:0", OK.into(), false).await;
    (v4, v6)
}
