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
            "unknown key \"password\" in credentials, which may have username, api_key",
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
            "unknown key \"latency_ms\" in options, which may have max_connections",
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
fn the_callback_address_stays_when_a_credential_changes() {
    let address = |api_key: &str| {
        let credentials = [("username", "sandbox"), ("api_key", api_key)];
        let declared = fixture::declared("africas-talking", Channel::Sms, &credentials);
        declared.callback_address("https://notify.example.com", b"a key of callbacks").unwrap()
    };
    assert_eq!(address("old"), address("new"));
    assert!(address("old").ends_with(&format!("/one?token={}", fixture::token("one"))));
    assert_eq!(smtp().callback_address("https://notify.example.com", b"a key"), None);
}

#[test]
fn a_simulated_provider_must_say_that_production_may_use_it() {
    let with = |production: &[(&str, &str)]| {
        let own = |(key, text): &(&str, &str)| ((*key).to_owned(), (*text).to_owned());
        let options = production.iter().map(own).collect();
        Declaration { options, ..declaration("simulated", Channel::Sms) }
    };
    for refused in [&[][..], &[("production", "false")]] {
        let error = with(refused).check_for_production().unwrap_err().to_string();
        assert!(error.ends_with("only with options.production = true"), "{error}");
    }
    assert_eq!(with(&[("production", "true")]).check_for_production(), Ok(()));
    assert_eq!(smtp().check_for_production(), Ok(()));
}

#[test]
fn a_renewed_declaration_keeps_what_states_and_limits_depend_on() {
    let newer = Declaration {
        max_per_second: Some(5),
        routes: vec![],
        sender: Some("Other <b@shop.example>".into()),
        ..smtp()
    };

    let renewed = smtp().renewed_by(&newer);

    assert_eq!(smtp().lasting_differences(&newer), ["route", "max_per_second"]);
    assert_eq!(renewed, Declaration { sender: newer.sender, ..smtp() });
    assert_eq!(smtp().renewed_by(&africas_talking()), smtp(), "another kind");
}

#[test]
fn neither_errors_nor_debug_show_a_credential() {
    let mut declared = africas_talking();
    declared.credentials.insert("api_key".into(), Secret::new("hunter2\n"));

    assert!(!format!("{declared:?}").contains("hunter2"));
    assert!(!error(&declared).contains("hunter2"));
}
