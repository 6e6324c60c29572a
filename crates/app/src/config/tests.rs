//! Tests of the configuration.

use domain::{
    content::sender_name::SenderRule, identity::user::RegistrationRule, shared::money::Money,
};
use usecases::money::invoices::InvoiceCredit;

use super::*;

fn read(pairs: &[(&str, &str)]) -> Result<Config, ConfigFaults> {
    Config::read(&Source::of(pairs, ""))
}

#[test]
fn nothing_needs_to_be_set_in_development() {
    let config = read(&[]).unwrap();
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.delivery.trial_credit, Money::from_cedis(10));
}

#[test]
fn production_generates_no_secret_and_gives_no_credit() {
    let database = ("DATABASE_URL", "postgres://127.0.0.1/atumpan");
    let production = ("ATUMPAN_ENV", "production");
    let error = read(&[production, database, PUBLIC]).unwrap_err();
    assert_eq!(error.to_string(), "ATUMPAN_JWT_SECRET must be set in production");

    let config = read(&[production, database, PUBLIC, SECRET]).unwrap();
    assert_eq!(config.delivery.trial_credit, Money::ZERO);
}

const SECRET: (&str, &str) = ("ATUMPAN_JWT_SECRET", "0123456789abcdef0123456789abcdef");
const PUBLIC: (&str, &str) = ("ATUMPAN_PUBLIC_URL", "https://notify.example.com");
/// Settings without which nothing starts in production.
const PRODUCTION: [(&str, &str); 4] =
    [("ATUMPAN_ENV", "production"), SECRET, PUBLIC, ("ATUMPAN_EMBEDDED_DATABASE", "on")];

#[test]
fn senders_need_approval_in_production_by_default() {
    let senders = |variables: &[(&'static str, &'static str)]| {
        read(variables).map(|config| config.delivery.senders)
    };
    let set = |value| [("ATUMPAN_SENDER_NAMES", value)];
    assert_eq!(senders(&[]).unwrap(), SenderRule::Open);
    assert_eq!(senders(&PRODUCTION).unwrap(), SenderRule::Approved);
    assert_eq!(senders(&[&PRODUCTION[..], &set("open")].concat()).unwrap(), SenderRule::Open);
    assert_eq!(senders(&set("approved")).unwrap(), SenderRule::Approved);
    let error = senders(&set("on")).unwrap_err().to_string();
    assert_eq!(error, "ATUMPAN_SENDER_NAMES must be open or approved");
}

#[test]
fn velocity_is_limited_in_production_or_on_request() {
    let limits = |variables: &[(&'static str, &'static str)]| {
        read(variables).map(|config| config.delivery.velocity_limits)
    };
    let set = |value| [("ATUMPAN_VELOCITY_LIMITS", value)];
    assert!(!limits(&[]).unwrap() && limits(&PRODUCTION).unwrap());
    assert!(limits(&set("on")).unwrap());
    assert!(!limits(&[&PRODUCTION[..], &set("off")].concat()).unwrap());
    assert!(limits(&set("approved")).is_err());
}

#[test]
fn production_has_an_embedded_database_only_on_request() {
    let production = ("ATUMPAN_ENV", "production");
    let error = read(&[production, PUBLIC, SECRET]).unwrap_err().to_string();
    assert!(error.starts_with("DATABASE_URL must be set in production"), "{error}");
    assert!(error.contains("ATUMPAN_EMBEDDED_DATABASE"), "{error}");

    let embedded = ("ATUMPAN_EMBEDDED_DATABASE", "on");
    assert_eq!(read(&[production, PUBLIC, SECRET, embedded]).unwrap().storage.database_url, None);

    let given = ("DATABASE_URL", "postgres://127.0.0.1/atumpan");
    let error = read(&[given, embedded]).unwrap_err().to_string();
    assert!(error.starts_with("ATUMPAN_EMBEDDED_DATABASE must not be on"), "{error}");
    let error = read(&[("ATUMPAN_EMBEDDED_DATABASE", "off")]).unwrap_err().to_string();
    assert!(error.starts_with("DATABASE_URL must be set"), "{error}");
}

#[test]
fn production_serves_metrics_locally_by_default() {
    let listen = |more: &[(&str, &str)]| read(more).unwrap().server.metrics_listen;
    assert_eq!(listen(&[]), None);
    assert_eq!(listen(&PRODUCTION).unwrap().to_string(), "127.0.0.1:9464");
    let set = ("ATUMPAN_METRICS_LISTEN", "0.0.0.0:9000");
    assert_eq!(listen(&[&PRODUCTION[..], &[set]].concat()).unwrap().port(), 9000);
}

#[test]
fn a_name_stands_for_the_address_that_it_resolves_to() {
    let config = read(&[("ATUMPAN_LISTEN", "localhost:8181")]).unwrap();
    assert!(config.server.listen.ip().is_loopback());
    assert_eq!(config.server.listen.port(), 8181);
}

#[test]
fn names_the_file_of_an_invalid_value() {
    let error = Config::read(&Source::of(&[], "listen = 127")).unwrap_err().to_string();
    assert!(error.starts_with("atumpan.toml: listen must be an address"), "{error}");

    let source = Source::of(&[("ATUMPAN_WORKERS", "many")], "workers = 3");
    let error = Config::read(&source).unwrap_err().to_string();
    assert!(error.starts_with("ATUMPAN_WORKERS must be"), "{error}");
}

#[test]
fn names_the_variable_of_an_invalid_value() {
    for (variable, value) in [
        ("ATUMPAN_LISTEN", "here"),
        ("ATUMPAN_METRICS_LISTEN", "127"),
        ("ATUMPAN_EMBEDDED_DATABASE", "yes"),
        ("ATUMPAN_WORKERS", "-1"),
        ("ATUMPAN_TRIAL_CREDIT_GHS", "-1"),
        ("ATUMPAN_RATE_LIMITS", "maybe"),
        ("ATUMPAN_EMAIL_VERIFICATION", "perhaps"),
        ("ATUMPAN_JWT_SECRET", "short"),
        ("ATUMPAN_LINK_SECRET", "short"),
        ("ATUMPAN_SEAL_SECRET", "short"),
        ("ATUMPAN_ENV", "staging"),
        ("ATUMPAN_LOG", "xml"),
    ] {
        let error = read(&[(variable, value)]).unwrap_err().to_string();
        assert!(error.starts_with(variable), "{error}");
    }
}

#[test]
fn the_environment_precedes_the_file_and_unknown_keys_fail() {
    let file = "workers = 3\nlisten = \"127.0.0.1:9\"";
    let config = Config::read(&Source::of(&[("ATUMPAN_WORKERS", "5")], file)).unwrap();
    assert_eq!(config.delivery.workers, 5);
    assert_eq!(config.server.listen.port(), 9);

    let error = Config::read(&Source::of(&[], "wrokers = 3")).unwrap_err();
    assert_eq!(error.to_string(), "atumpan.toml: unknown key \"wrokers\"");
}

#[test]
fn reports_an_unknown_variable_with_the_most_similar_one() {
    let pairs = [
        ("ATUMPAN_LISTN", "1"),
        ("ATUMPAN_WORKER", "2"),
        ("ATUMPAN_LISTEN", "127.0.0.1:1"),
        ("OTHER_LISTEN", "3"),
    ];

    let unknown = Source::of(&pairs, "").unknown_variables();

    let own = |name: &str, nearest| (name.to_owned(), nearest);
    assert_eq!(
        unknown,
        [own("ATUMPAN_LISTN", "ATUMPAN_LISTEN"), own("ATUMPAN_WORKER", "ATUMPAN_WORKERS")]
    );
}

#[test]
fn a_payment_gateway_needs_a_secret_that_is_not_shown() {
    let url = ("ATUMPAN_GATEWAY_URL", "https://api.paystack.co");
    let error = read(&[url]).unwrap_err().to_string();
    assert_eq!(error, "ATUMPAN_GATEWAY_SECRET must be set with ATUMPAN_GATEWAY_URL");

    let payments = read(&[url, ("ATUMPAN_GATEWAY_SECRET", "sk_live_1")]).unwrap().payments;
    assert!(!format!("{payments:?}").contains("sk_live_1"));
    assert_eq!(payments.gateway_secret.as_deref(), Some("sk_live_1"));
    assert!(read(&[("ATUMPAN_GATEWAY_SECRET", "simulated")]).is_ok());
}

#[test]
fn crediting_invoices_at_once_requires_a_limit() {
    let at_once = ("ATUMPAN_INVOICE_CREDIT", "at-once");
    let error = read(&[at_once]).unwrap_err().to_string();
    assert_eq!(
        error,
        "ATUMPAN_INVOICE_CREDIT_LIMIT_GHS must be set with ATUMPAN_INVOICE_CREDIT=at-once"
    );

    let limit = ("ATUMPAN_INVOICE_CREDIT_LIMIT_GHS", "500.00");
    let credit = read(&[at_once, limit]).unwrap().delivery.invoice_credit;
    assert_eq!(credit, InvoiceCredit::AtOnce(Money::from_cedis(500)));
}

#[test]
fn requests_are_drained_by_default_in_production_only() {
    let drain = |variables: &[(&'static str, &'static str)]| {
        read(variables).map(|config| config.server.drain.as_secs())
    };
    let set = |value| [("ATUMPAN_DRAIN_SECONDS", value)];
    assert_eq!((drain(&[]).unwrap(), drain(&PRODUCTION).unwrap()), (0, 5));
    assert_eq!(drain(&[&PRODUCTION[..], &set("30")].concat()).unwrap(), 30);
    for wrong in ["301", "-1", "5s"] {
        let error = drain(&set(wrong)).unwrap_err().to_string();
        assert_eq!(error, "ATUMPAN_DRAIN_SECONDS must be from 0 to 300");
    }
}

#[test]
fn the_public_url_is_an_address_of_the_web() {
    let given = |url| read(&[("ATUMPAN_PUBLIC_URL", url)]).map(|it| it.server.public_url());
    assert_eq!(given("https://notify.example.com/").unwrap(), "https://notify.example.com");
    assert_eq!(given("http://10.0.0.1:8080/api").unwrap(), "http://10.0.0.1:8080/api");
    for wrong in ["notify.example.com", "https://", "ftp://a.example", "https://a.example/?x", "/"]
    {
        let error = given(wrong).unwrap_err().to_string();
        assert!(error.starts_with("ATUMPAN_PUBLIC_URL must be an address such as "), "{error}");
    }
}

#[test]
fn the_metrics_have_an_address_of_their_own() {
    let listen = ("ATUMPAN_LISTEN", "127.0.0.1:8081");
    let error = read(&[listen, ("ATUMPAN_METRICS_LISTEN", "127.0.0.1:8081")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ATUMPAN_METRICS_LISTEN must be another address than ATUMPAN_LISTEN, 127.0.0.1:8081"
    );
    assert!(read(&[listen, ("ATUMPAN_METRICS_LISTEN", "127.0.0.1:8082")]).is_ok());
}

#[test]
fn registration_is_open_unless_it_is_closed() {
    let rule = |variables: &[(&'static str, &'static str)]| {
        read(variables).map(|config| config.security.registration)
    };
    assert_eq!(rule(&[]).unwrap(), RegistrationRule::Open);
    for (value, expected) in [
        ("open", RegistrationRule::Open),
        ("invited", RegistrationRule::Invited),
        ("closed", RegistrationRule::Closed),
    ] {
        assert_eq!(rule(&[("ATUMPAN_REGISTRATION", value)]).unwrap(), expected);
    }
    let error = rule(&[("ATUMPAN_REGISTRATION", "off")]).unwrap_err().to_string();
    assert_eq!(error, "ATUMPAN_REGISTRATION must be open, invited or closed");
}

#[test]
fn secrets_are_read_from_the_files_that_hold_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let secret = path("jwt", "0123456789abcdef0123456789abcdef\n");
    let database = path("database", "postgres://a:b@127.0.0.1/shop\r\n");
    let file = format!("database_url_file = {database:?}");
    let source = Source::of(&[("ATUMPAN_JWT_SECRET_FILE", &secret)], &file);
    assert!(source.unknown_variables().is_empty());

    let config = Config::read(&source.with_secret_files().unwrap()).unwrap();

    let expected = "0123456789abcdef0123456789abcdef";
    assert_eq!(config.security.jwt_secret.as_deref(), Some(expected));
    assert_eq!(config.storage.database_url.as_deref(), Some("postgres://a:b@127.0.0.1/shop"));
    let refused =
        |pairs: &[(&str, &str)]| Source::of(pairs, "").with_secret_files().unwrap_err().to_string();
    let both = [("ATUMPAN_JWT_SECRET_FILE", secret.as_str()), SECRET];
    assert!(refused(&both).contains("must not be set beside ATUMPAN_JWT_SECRET_FILE"));
    let missing = [("ATUMPAN_LINK_SECRET_FILE", "/nowhere/link")];
    assert!(
        refused(&missing).starts_with("ATUMPAN_LINK_SECRET cannot be read from /nowhere/link: ")
    );
    let empty = path("empty", "\n");
    assert!(refused(&[("REDIS_URL_FILE", &empty)]).ends_with("the file is empty"));
}

#[test]
fn all_faults_are_reported_at_once_and_each_setting_has_one() {
    let variables = [
        ("ATUMPAN_ENV", "production"),
        ("ATUMPAN_LIMIT_LIVE", "many"),
        ("ATUMPAN_JWT_SECRET_FILE", "/nowhere/jwt"),
        ("ATUMPAN_PUBLIC_URL", "notify.example.com"),
    ];
    let mut source = Source::of(&variables, "wrokers = 3\nworkers = \"many\"");

    let ConfigFaults(faults) = Config::read_with_secret_files(&mut source).unwrap_err();

    let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
    for (text, begin) in texts.iter().zip([
        "ATUMPAN_JWT_SECRET cannot be read from /nowhere/jwt: ",
        "atumpan.toml: unknown key \"wrokers\"",
        "DATABASE_URL must be set in production",
        "ATUMPAN_PUBLIC_URL must be an address such as",
        "ATUMPAN_LIMIT_LIVE must be a number a second",
        "atumpan.toml: workers must be from 0 to 4096",
    ]) {
        assert!(text.starts_with(begin), "{text}");
    }
    assert_eq!(texts.len(), 6, "{texts:#?}");
}

#[test]
fn production_needs_the_address_that_others_call() {
    let without: Vec<_> = PRODUCTION.into_iter().filter(|it| *it != PUBLIC).collect();
    let error = read(&without).unwrap_err().to_string();
    assert!(error.starts_with("ATUMPAN_PUBLIC_URL must be set in production"), "{error}");
    assert!(read(&PRODUCTION).is_ok() && read(&[]).is_ok());
}
