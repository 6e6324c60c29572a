//! Tests of the examination of addresses, with programs that answer at them.

use serde_json::json;
use testkit::{HttpServer, Received, Reply};

use super::*;
use crate::{config::Source, doctor::Status};

const PRODUCTION: [(&str, &str); 4] = [
    ("ATUMPAN_ENV", "production"),
    ("ATUMPAN_JWT_SECRET", "9f2c41d7a0b85e63f1927dc4080e6ba5"),
    ("ATUMPAN_EMBEDDED_DATABASE", "on"),
    ("ATUMPAN_PUBLIC_URL", "https://notify.example.com"),
];
const PROVIDERS: &str = "\
    [[provider]]\nname = \"sms\"\nkind = \"africas-talking\"\nchannel = \"SMS\"\n\
    credentials.username = \"u\"\ncredentials.api_key = \"k\"\n\
    [[provider.route]]\ncountry = \"GH\"\n";

fn config(environment: &[(&str, &str)]) -> Config {
    Config::read(&Source::of(environment, "")).unwrap()
}

/// Returns the statuses of the public address, the proxies and the metrics.
fn statuses(environment: &[(&str, &str)]) -> Vec<Status> {
    let findings = examine(&config(&[&PRODUCTION[..], environment].concat()));
    findings.iter().map(|finding| finding.status).collect()
}

/// Answers as an instance does.
fn as_instance(call: &Received) -> Reply {
    match call.path.as_str() {
        "/health/live" => Reply::json(200, &json!({"status": "ok"})),
        _ => Reply::json(401, &json!({"success": false, "error": {"code": "INVALID_SIGNATURE"}})),
    }
}

#[test]
fn production_needs_an_encrypted_address_that_others_reach() {
    let public = |url: &str| statuses(&[("ATUMPAN_PUBLIC_URL", url)])[0];
    assert_eq!(public("http://notify.example.com"), Status::Warn);
    for own in ["https://localhost", "https://10.1.2.3:8443/api", "https://[fd00::1]:8443"] {
        assert_eq!(public(own), Status::Warn, "{own}");
    }
    assert_eq!(public("https://notify.example.com"), Status::Ok);
}

#[test]
fn a_proxy_that_is_not_trusted_is_reported() {
    let trusted = ("ATUMPAN_TRUSTED_PROXIES", "127.0.0.1");
    assert_eq!(statuses(&[])[1], Status::Fail);
    assert_eq!(statuses(&[trusted])[1], Status::Ok);
}

#[test]
fn metrics_that_other_networks_reach_are_reported() {
    let metrics = |address: &str| statuses(&[("ATUMPAN_METRICS_LISTEN", address)])[2];
    assert_eq!(metrics("127.0.0.1:9464"), Status::Ok);
    assert_eq!(metrics("10.0.0.5:9464"), Status::Ok);
    assert_eq!(metrics("0.0.0.0:9464"), Status::Warn);
}

#[tokio::test]
async fn a_proxy_that_leads_elsewhere_is_reported_if_an_instance_runs() {
    let instance = HttpServer::start(|call| as_instance(&call)).await;
    let proxy = HttpServer::start(|_| Reply::text(502, "<h1>Bad Gateway</h1>")).await;
    let listen = instance.address.to_string();
    let found = async |public: &str, listen: &str| {
        let environment = [("ATUMPAN_PUBLIC_URL", public), ("ATUMPAN_LISTEN", listen)];
        examine_callbacks(&config(&environment)).await.status
    };

    assert_eq!(found(&instance.url(), &listen).await, Status::Ok);
    assert_eq!(found(&proxy.url(), &listen).await, Status::Fail);
    assert_eq!(found(&proxy.url(), "127.0.0.1:1").await, Status::Skipped);
    assert_eq!(found("http://127.0.0.1:1", &listen).await, Status::Fail);
    assert_eq!(examine_callbacks(&config(&[])).await.status, Status::Skipped);
}

#[tokio::test]
async fn a_proxy_that_keeps_callbacks_back_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let providers = folder.path().join("providers.toml");
    std::fs::write(&providers, PROVIDERS).unwrap();
    let found = async |server: HttpServer| {
        let url = server.url();
        let environment = [
            ("ATUMPAN_PUBLIC_URL", url.as_str()),
            ("ATUMPAN_PROVIDERS", providers.to_str().unwrap()),
        ];
        examine_callbacks(&config(&environment)).await.status
    };

    let open = HttpServer::start(|call| as_instance(&call)).await;
    assert_eq!(found(open).await, Status::Ok);
    let health_only = HttpServer::start(|call| match call.path.as_str() {
        "/health/live" => as_instance(&call),
        _ => Reply::text(404, "<h1>Not Found</h1>"),
    })
    .await;
    assert_eq!(found(health_only).await, Status::Fail);
}

#[test]
fn this_machine_is_recognized_with_and_without_brackets() {
    for own in ["localhost:6379", "127.0.0.1:6379", "[::1]:6379", "::1:6379"] {
        assert!(is_this_machine(own), "{own}");
    }
    for other in ["redis.example:6379", "10.0.0.5:6379", "localhost.example:6379"] {
        assert!(!is_this_machine(other), "{other}");
    }
}
