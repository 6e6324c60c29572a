//! Tests of declarations that are refused, and of the errors.

use super::*;
use crate::{
    build,
    fixture::{self, deps},
};

fn declaration(kind: &str, channel: Channel) -> Declaration {
    let sender = Some("Shop <a@shop.example>".into());
    Declaration { sender, ..fixture::declaration(kind, channel) }
}

fn africas_talking() -> Declaration {
    let credentials = [("username", "sandbox"), ("api_key", "k3y")];
    fixture::declared("africas-talking", Channel::Sms, &credentials)
}

fn smtp() -> Declaration {
    let base_url = Some("smtp://127.0.0.1:2525".into());
    Declaration { base_url, ..declaration("smtp", Channel::Email) }
}

fn error(declaration: &Declaration) -> String {
    build(declaration, &deps()).err().unwrap().to_string()
}

#[test]
fn valid_declarations_are_built_outside_a_runtime() {
    for (declaration, seconds) in [
        (africas_talking(), 600),
        (smtp(), 600),
        (declaration("simulated", Channel::Voice), 5),
        (Declaration { reconcile_after: Some(Duration::from_secs(90)), ..smtp() }, 90),
    ] {
        let (provider, _) = build(&declaration, &deps()).unwrap();

        assert_eq!(provider.name, "one");
        assert_eq!(provider.channel, declaration.channel);
        assert_eq!(provider.routes, declaration.routes);
        assert_eq!(provider.report_timeout, TimeDelta::seconds(seconds));
    }
}

#[test]
fn errors_name_the_provider_and_the_key() {
    let password = |text: &str| [("password".to_owned(), Secret::new(text))].into();
    let options = |key: &str, text: &str| [(key.to_owned(), text.to_owned())].into();
    for (declaration, problem) in [
        (Declaration { name: "sandbox".into(), ..smtp() }, "name is reserved"),
        (Declaration { name: "a b".into(), ..smtp() }, "name must have"),
        (Declaration { channel: Channel::Sms, ..smtp() }, "channel SMS is not carried by smtp"),
        (Declaration { routes: vec![], ..smtp() }, "route is missing"),
        (Declaration { sender: None, ..smtp() }, "sender must be"),
        (Declaration { base_url: None, ..smtp() }, "base_url is missing"),
        (Declaration { base_url: Some("http://x".into()), ..smtp() }, "base_url must begin with"),
        (Declaration { timeout: Some(Duration::ZERO), ..smtp() }, "timeout_ms must be"),
        (Declaration { reconcile_after: Some(Duration::ZERO), ..smtp() }, "reconcile_after_s must"),
        (Declaration { max_concurrency: Some(0), ..smtp() }, "max_concurrency must be from 1 to"),
        (Declaration { max_per_second: Some(100_001), ..smtp() }, "max_per_second must be from 1"),
        (Declaration { credentials: password(""), ..smtp() }, "credentials.password must not be"),
        (
            Declaration { credentials: password("x"), ..africas_talking() },
            "unknown key \"password\"",
        ),
        (
            Declaration { credentials: BTreeMap::new(), ..africas_talking() },
            "credentials.username is missing",
        ),
        (
            Declaration { base_url: Some("https://u:p@x".into()), ..africas_talking() },
            "base_url must be an http(s) URL",
        ),
        (
            Declaration { options: options("latency_ms", "5"), ..smtp() },
            "unknown key \"latency_ms\"",
        ),
        (
            Declaration {
                options: options("latency_ms", "soon"),
                ..declaration("simulated", Channel::Sms)
            },
            "options.latency_ms makes no sense",
        ),
    ] {
        let provider = format!("provider {:?}: ", declaration.name);
        let error = error(&declaration);
        assert!(error.starts_with(&format!("{provider}{problem}")), "{error}");
    }
}

#[test]
fn neither_errors_nor_debug_show_a_credential() {
    let mut declared = africas_talking();
    declared.credentials.insert("api_key".into(), Secret::new("hunter2\n"));

    assert!(!format!("{declared:?}").contains("hunter2"));
    assert!(!error(&declared).contains("hunter2"));
}
