//! Tests of a diagnosis as a whole, without a database.

use std::{fs, os::unix::fs::PermissionsExt};

use super::*;

/// Variables of a sound installation whose database and Redis do not answer.
const AWAY: [(&str, &str); 6] = [
    ("ATUMPAN_ENV", "production"),
    ("ATUMPAN_JWT_SECRET", "9f2c41d7a0b85e63f1927dc4080e6ba5"),
    ("DATABASE_URL", "postgres://ama:hunter2@127.0.0.1:1/shop"),
    ("REDIS_URL", "redis://ama:hunter2@127.0.0.1:1"),
    ("ATUMPAN_PUBLIC_URL", "http://127.0.0.1:1"),
    ("ATUMPAN_MAX_CONNECTIONS", "10"),
];

fn source(more: &[(&str, &str)]) -> Source {
    Source::of(&[&AWAY[..], more].concat(), "")
}

async fn diagnosis(more: &[(&str, &str)]) -> Vec<Finding> {
    examine(Ok(source(more))).await
}

fn found<'f>(findings: &'f [Finding], code: &str) -> &'f Finding {
    findings.iter().find(|finding| finding.check.code == code).unwrap()
}

/// Returns the status that a check on this machine has with these settings.
fn status_of(code: &str, more: &[(&str, &str)]) -> Status {
    let source = source(more);
    let config = Config::read(&source).unwrap();
    found(&examine_settings(&source, &config), code).status
}

#[tokio::test]
async fn every_check_has_a_finding_while_the_database_is_away() {
    let findings = diagnosis(&[]).await;

    let mut codes: Vec<_> = findings.iter().map(|finding| finding.check.code).collect();
    codes.dedup();
    assert_eq!(codes, checks().iter().map(|check| check.code).collect::<Vec<_>>());
    let away = found(&findings, "database-reachable");
    assert_eq!(away.status, Status::Fail);
    assert!(away.message.starts_with("127.0.0.1:1/shop: "), "{}", away.message);
    assert_eq!(found(&findings, "partitions-ahead").status, Status::Skipped);
    assert_eq!(found(&findings, "redis-reachable").status, Status::Fail);
    assert!(!format!("{findings:?}").contains("hunter2"));
}

#[tokio::test]
async fn settings_that_cannot_be_read_skip_everything_else() {
    let findings = diagnosis(&[("ATUMPAN_WORKERS", "many")]).await;

    let (first, rest) = findings.split_first().unwrap();
    assert_eq!((first.check.code, first.status), ("settings-valid", Status::Fail));
    assert_eq!(first.message, "ATUMPAN_WORKERS must be from 0 to 4096");
    assert!(rest.iter().all(|finding| finding.status == Status::Skipped));
    assert_eq!(findings.len(), checks().len());
    let two = diagnosis(&[("ATUMPAN_WORKERS", "many"), ("ATUMPAN_LOG", "xml")]).await;
    assert_eq!(two.iter().filter(|it| it.check.code == "settings-valid").count(), 2);
}

#[tokio::test]
async fn an_address_of_a_database_that_is_not_valid_is_not_shown() {
    let findings = diagnosis(&[("DATABASE_URL", "mysql://ama:hunter2@127.0.0.1/shop")]).await;
    let finding = found(&findings, "database-reachable");
    assert_eq!(finding.status, Status::Fail);
    assert!(!finding.message.contains("hunter2"), "{}", finding.message);
}

#[test]
fn settings_that_are_unknown_or_without_effect_are_reported() {
    for code in ["settings-known", "settings-effective"] {
        assert_eq!(status_of(code, &[]), Status::Ok, "{code}");
    }
    assert_eq!(status_of("settings-known", &[("ATUMPAN_LISTN", "x")]), Status::Warn);
    for (variable, value) in [
        ("ATUMPAN_ADMIN_PASSWORD", "hunter2"),
        ("ATUMPAN_CONTENT_TIMEOUT", "5"),
        ("ATUMPAN_INVOICE_CREDIT_LIMIT_GHS", "5"),
        ("ATUMPAN_GATEWAY_SECRET", "sk_live_1"),
    ] {
        assert_eq!(
            status_of("settings-effective", &[(variable, value)]),
            Status::Warn,
            "{variable}"
        );
    }
    let unlimited = [("ATUMPAN_RATE_LIMITS", "off"), ("ATUMPAN_LIMIT_LIVE", "1/1")];
    assert_eq!(status_of("settings-effective", &unlimited), Status::Warn);
    assert_eq!(status_of("rate-limits-on", &unlimited), Status::Warn);
}

#[test]
fn an_installation_that_others_reach_is_declared_as_production() {
    let development = ("ATUMPAN_ENV", "development");
    let status =
        |more: (&'static str, &'static str)| status_of("production-declared", &[development, more]);
    assert_eq!(status(development), Status::Ok);
    assert_eq!(status(("ATUMPAN_PUBLIC_URL", "https://notify.example.com")), Status::Warn);
    assert_eq!(status(("ATUMPAN_LISTEN", "0.0.0.0:8080")), Status::Warn);
}

#[test]
fn secrets_that_are_weak_or_the_same_are_refused_in_production() {
    assert_eq!(status_of("secrets-strong", &[]), Status::Ok);
    let weak = ("ATUMPAN_SEAL_SECRET", "0123456789abcdef0123456789abcdef");
    assert_eq!(status_of("secrets-strong", &[weak]), Status::Fail);
    assert_eq!(status_of("secrets-strong", &[("ATUMPAN_LINK_SECRET", AWAY[1].1)]), Status::Fail);
    let development = [weak, ("ATUMPAN_ENV", "development")];
    assert_eq!(status_of("secrets-strong", &development), Status::Warn);
}

#[test]
fn a_file_with_a_secret_that_everybody_may_read_or_write_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway");
    fs::write(&file, "sk_live_1").unwrap();
    let status = |mode: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        status_of("files-private", &[("ATUMPAN_GATEWAY_SECRET_FILE", file.to_str().unwrap())])
    };
    assert_eq!(status(0o600), Status::Ok);
    assert_eq!(status(0o644), Status::Warn);
    assert_eq!(status(0o666), Status::Fail);
}

#[test]
fn a_data_directory_that_is_none_is_reported() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let data_dir = ("ATUMPAN_DATA_DIR", file.path().to_str().unwrap());
    let settings = [
        ("ATUMPAN_ENV", "production"),
        ("ATUMPAN_JWT_SECRET", AWAY[1].1),
        ("ATUMPAN_EMBEDDED_DATABASE", "on"),
        ("ATUMPAN_PUBLIC_URL", "http://127.0.0.1:1"),
        data_dir,
    ];
    let source = Source::of(&settings, "");
    let config = Config::read(&source).unwrap();
    let findings = examine_settings(&source, &config);
    assert_eq!(found(&findings, "data-directory").status, Status::Fail);
    assert_eq!(status_of("data-directory", &[]), Status::Skipped);
}

#[test]
fn more_clients_than_files_are_reported_in_production() {
    let many = ("ATUMPAN_MAX_CONNECTIONS", "4000000000");
    assert_eq!(status_of("file-descriptors", &[many]), Status::Warn);
    let development = ("ATUMPAN_ENV", "development");
    assert_ne!(status_of("file-descriptors", &[many, development]), Status::Fail);
}

#[test]
fn a_finding_is_one_line_in_every_format() {
    let finding = checks()[0].fail("the vendor\nanswered\r\n  500");
    assert_eq!(finding.message, "the vendor answered 500");
    let json = finding.to_json();
    assert_eq!(json["code"], "settings-valid");
    assert_eq!(json["status"], "fail");
    assert_eq!(json["link"], "docs/operations/doctor.md#settings-valid");
    assert_eq!(json.as_object().unwrap().len(), 5);
}
