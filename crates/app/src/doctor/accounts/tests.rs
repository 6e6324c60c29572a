//! Tests of the examination of providers, with vendors that answer.

use serde_json::json;
use tempfile::TempDir;
use testkit::{
    HttpServer, Reply,
    smtp::{Manners, PlainSmtp},
};

use super::*;
use crate::{config::Source, doctor::Status};

/// Variables of production, without a providers file.
const PRODUCTION: [(&str, &str); 4] = [
    ("ATUMPAN_ENV", "production"),
    ("ATUMPAN_JWT_SECRET", "9f2c41d7a0b85e63f1927dc4080e6ba5"),
    ("ATUMPAN_EMBEDDED_DATABASE", "on"),
    ("ATUMPAN_PUBLIC_URL", "https://notify.example.com"),
];

/// Installation in production with a providers file.
struct Installation {
    folder: TempDir,
}

impl Installation {
    fn with_providers(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("providers.toml"), text).unwrap();
        Self { folder }
    }

    async fn findings(&self) -> Vec<Finding> {
        let path = self.folder.path().join("providers.toml");
        let providers = ("ATUMPAN_PROVIDERS", path.to_str().unwrap());
        let source = Source::of(&[&PRODUCTION[..], &[providers]].concat(), "");
        examine(&Config::read(&source).unwrap()).await
    }
}

/// Returns the status of the check with a code.
fn status(findings: &[Finding], code: &str) -> Status {
    findings.iter().find(|finding| finding.check.code == code).unwrap().status
}

fn provider(kind: &str, channel: &str, keys: &str) -> String {
    let name = kind.to_owned() + "-1";
    format!(
        "[[provider]]\nname = \"{name}\"\nkind = \"{kind}\"\nchannel = \"{channel}\"\n{keys}\n\
         [[provider.route]]\ncountry = \"*\"\n"
    )
}

fn sms(url: &str) -> String {
    let keys = format!(
        "base_url = \"{url}\"\ncredentials.username = \"kente\"\ncredentials.api_key = \"hunter2\""
    );
    provider("africas-talking", "SMS", &keys)
}

fn mail_server(address: &str) -> String {
    let keys = format!("sender = \"Shop <shop@example.com>\"\nbase_url = \"smtp://{address}\"");
    provider("smtp", "EMAIL", &keys)
}

#[tokio::test]
async fn an_account_that_is_refused_or_nearly_empty_is_reported() {
    for (reply, expected) in [
        (Reply::json(200, &json!({"UserData": {"balance": "GHS 500.00"}})), Status::Ok),
        (Reply::json(200, &json!({"UserData": {"balance": "GHS 0.10"}})), Status::Warn),
        (Reply::status(401), Status::Fail),
    ] {
        let vendor = HttpServer::start(move |_| reply.clone()).await;
        let findings = Installation::with_providers(&sms(&vendor.url())).findings().await;

        assert_eq!(status(&findings, "accounts-usable"), expected);
        assert_eq!(status(&findings, "providers-declared"), Status::Ok);
        assert_eq!(status(&findings, "channels-served"), Status::Warn);
        assert!(!format!("{findings:?}").contains("hunter2"));
    }
}

#[tokio::test]
async fn mails_need_a_provider_that_works_and_is_not_simulated() {
    let server = PlainSmtp::start(Manners::default()).await;
    let closed = format!("127.0.0.1:{}", testkit::free_port());
    for (providers, expected) in [
        (mail_server(&server.address), Status::Ok),
        (mail_server(&closed), Status::Fail),
        (provider("simulated", "EMAIL", ""), Status::Fail),
        (String::new(), Status::Fail),
    ] {
        let findings = Installation::with_providers(&providers).findings().await;
        assert_eq!(status(&findings, "mail-possible"), expected, "{providers}");
    }
}

#[tokio::test]
async fn a_simulated_provider_in_production_is_reported() {
    for (options, expected) in [("", Status::Fail), ("options.production = true", Status::Warn)] {
        let declared = provider("simulated", "SMS", options);
        let findings = Installation::with_providers(&declared).findings().await;
        assert_eq!(status(&findings, "providers-real"), expected, "{options}");
        assert_eq!(status(&findings, "accounts-usable"), Status::Skipped);
    }
}

#[tokio::test]
async fn a_providers_file_that_cannot_be_read_skips_what_depends_on_it() {
    let declared = provider("pigeon", "SMS", "");
    let findings = Installation::with_providers(&declared).findings().await;
    assert_eq!(status(&findings, "providers-declared"), Status::Fail);
    for code in ["providers-real", "channels-served", "accounts-usable", "mail-possible"] {
        assert_eq!(status(&findings, code), Status::Skipped, "{code}");
    }
}
