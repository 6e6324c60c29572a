//! Tests of accepted and refused providers files.

use domain::shared::channel::Channel;

use super::*;

fn env(name: &str) -> Option<String> {
    (name == "SMTP_PASSWORD").then(|| "hunter2".to_owned())
}

const MAIL: &str = r#"
    [[provider]]
    name = "mail"
    kind = "smtp"
    channel = "EMAIL"
    sender = "Atumpan <no-reply@example.com>"
    base_url = "smtp://127.0.0.1:2525"
    timeout_ms = 10000
    reconcile_after_s = 600
    unreported = "refund"
    max_concurrency = 50
    max_per_second = 70
    [provider.credentials]
    password = { env = "SMTP_PASSWORD" }
    [provider.options]
    max_connections = 4
    [[provider.route]]
    country = "*"
    [[provider.route]]
    country = "GH"
    priority = 10
"#;

const SMS: &str = r#"
    [[provider]]
    name = "sms"
    kind = "africas-talking"
    channel = "SMS"
    credentials = { username = "sandbox", api_key = "k3y" }
    reports = false
    route = [{ country = "GH" }]
"#;

fn error(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("providers.toml");
    fs::write(&path, text).unwrap();
    let error = read(&path, &env).unwrap_err().to_string();
    error.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
}

#[test]
fn providers_are_read_in_their_order() {
    let declarations = parse(&format!("{MAIL}{SMS}"), &env).unwrap();

    let [mail, sms] = declarations.as_slice() else { panic!("{declarations:?}") };
    let any = Route { country: None, priority: 100 };
    let ghana = |priority| Route { country: Some("GH".parse().unwrap()), priority };
    assert_eq!(
        (mail.name.as_str(), mail.kind.as_str(), mail.channel),
        ("mail", "smtp", Channel::Email)
    );
    assert_eq!(mail.sender.as_deref(), Some("Atumpan <no-reply@example.com>"));
    assert_eq!(mail.base_url.as_deref(), Some("smtp://127.0.0.1:2525"));
    assert_eq!(mail.timeout, Some(Duration::from_secs(10)));
    assert_eq!(mail.reconcile_after, Some(Duration::from_secs(600)));
    assert_eq!(mail.without_report, WithoutReport::Refunded);
    assert_eq!((mail.max_concurrency, mail.max_per_second), (Some(50), Some(70)));
    assert_eq!(mail.credentials["password"].expose(), "hunter2");
    assert_eq!(mail.options["max_connections"], "4");
    assert_eq!(mail.routes, [any, ghana(10)]);
    assert_eq!((sms.name.as_str(), sms.kind.as_str()), ("sms", "africas-talking"));
    assert_eq!(sms.credentials["api_key"].expose(), "k3y");
    assert_eq!(sms.without_report, WithoutReport::Expected);
    assert_eq!((sms.timeout, sms.reconcile_after), (None, None));
    assert_eq!(sms.routes, [ghana(100)]);
}

#[test]
fn an_empty_file_declares_nothing() {
    assert_eq!(parse("# nothing yet\n", &env).unwrap(), [] as [Declaration; 0]);
}

#[test]
fn names_the_key_of_an_invalid_provider_setting() {
    for (from, to, problem) in [
        ("password =", "pasword =", "unknown key \"pasword\""),
        ("sender =", "sendr =", "unknown key \"sendr\""),
        ("priority =", "prio =", "unknown key \"route.prio\""),
        ("max_connections", "latency_ms", "unknown key \"latency_ms\""),
        ("\"smtp\"", "\"pigeon\"", "kind must be one of"),
        ("kind = \"smtp\"", "", "kind is missing"),
        ("\"EMAIL\"", "\"FAX\"", "channel must be one of"),
        ("\"EMAIL\"", "\"SMS\"", "channel SMS is not carried by smtp"),
        ("\"EMAIL\"", "7", "channel must be text"),
        ("10000", "\"soon\"", "timeout_ms is not such a number"),
        ("10000", "-1", "timeout_ms is not such a number"),
        ("10000", "1", "timeout_ms must be from"),
        ("= 50", "= 0", "max_concurrency must be from 1 to 10000"),
        ("= 50", "= 10001", "max_concurrency must be from 1 to 10000"),
        ("= 50", "= -1", "max_concurrency is not such a number"),
        ("= 70", "= 0", "max_per_second must be from 1 to 100000"),
        ("= 70", "= 0.5", "max_per_second is not such a number"),
        ("600", "0", "reconcile_after_s must be from"),
        ("\"refund\"", "\"maybe\"", "unreported must be \"keep\" or \"refund\""),
        ("\"refund\"", "\"keep\"\n    reports = false", "unreported makes no sense with"),
        ("\"refund\"", "\"keep\"\n    reports = 0", "reports must be true or false"),
        ("= 10\n", "= 70000\n", "route.priority is not such a number"),
        ("\"*\"", "\"ZZ\"", "route.country is not a two-letter"),
        ("country = \"*\"", "", "route.country is missing"),
        ("[[provider.route]]", "[[provider.route.x]]", "route must be written [[provider.route]]"),
        ("SMTP_PASSWORD", "UNSET", "credentials.password needs the environment variable UNSET"),
        ("env =", "var =", "credentials.password must be text, { env"),
        ("env =", "file =", "credentials.password cannot be read from SMTP_PASSWORD: "),
        ("{ env = \"SMTP_PASSWORD\" }", "\"\"", "credentials.password must not be empty"),
        ("smtp://127", "http://127", "base_url must begin with smtp"),
        ("<no-reply@example.com>", "", "sender must be an address"),
        ("= 4", "= 0", "options.max_connections must be from"),
        ("= 4", "= [4]", "options.max_connections must be text, a number"),
    ] {
        let text = MAIL.replace(from, to);
        assert_ne!(text, MAIL, "{from}");
        let error = error(&text);
        assert!(error.starts_with(&format!("provider \"mail\": {problem}")), "{error}");
    }
}

#[test]
fn providers_need_unique_names_and_the_keys_of_their_vendor() {
    for (text, problem) in [
        (MAIL.replace("\"mail\"", "\"sandbox\""), "provider \"sandbox\": name is reserved"),
        (format!("{MAIL}{MAIL}"), "provider \"mail\": name is used twice"),
        (MAIL.replace("name = \"mail\"", ""), "provider number 1: name is missing"),
        (SMS.replace("route =", "# "), "provider \"sms\": route is missing"),
        (SMS.replace("username =", "user ="), "provider \"sms\": unknown key \"user\""),
        (
            SMS.replace(", api_key = \"k3y\"", ""),
            "provider \"sms\": credentials.api_key is missing",
        ),
    ] {
        let error = error(&text);
        assert!(error.starts_with(problem), "{error}");
    }
}

#[test]
fn refuses_an_invalid_providers_file() {
    for (text, problem) in [
        ("[[provider]\n", "is not TOML: "),
        ("[[providers]]\n", "unknown key \"providers\""),
        ("provider = 1\n", "provider must be written [[provider]]"),
        ("provider = [1]\n", "provider must be written [[provider]]"),
    ] {
        let error = error(text);
        assert!(error.starts_with(problem), "{error}");
    }
    let missing = read(Path::new("/no/such/providers.toml"), &env).unwrap_err().to_string();
    assert!(missing.starts_with("/no/such/providers.toml: cannot be read: "), "{missing}");
}

#[test]
fn no_error_shows_a_credential() {
    for text in [
        SMS.replace("\"k3y\"", "\"s3cr3t\nbroken"),
        SMS.replace("\"k3y\"", "\"s3cr3t\"").replace("\"SMS\"", "\"EMAIL\""),
        SMS.replace("api_key = \"k3y\"", "api_kye = \"s3cr3t\""),
    ] {
        let error = error(&text);
        assert!(!error.contains("s3cr3t"), "{error}");
    }
}

#[test]
fn a_credential_may_be_in_a_file_that_a_variable_or_the_declaration_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password").display().to_string();
    fs::write(&path, "hunter3\n").unwrap();
    let env = |name: &str| (name == "SMTP_PASSWORD_FILE").then(|| path.clone());
    let declared = format!("{{ file = {path:?} }}");
    for text in [MAIL.to_owned(), MAIL.replace("{ env = \"SMTP_PASSWORD\" }", &declared)] {
        let declarations = parse(&text, &env).unwrap();
        assert_eq!(declarations[0].credentials["password"].expose(), "hunter3");
    }
}

#[test]
fn the_faults_of_all_providers_are_reported_at_once() {
    let text = format!(
        "{}{}",
        MAIL.replace("\"smtp\"", "\"pigeon\""),
        SMS.replace("username =", "user =")
    );
    let error = error(&text);
    assert!(error.starts_with("provider \"mail\": kind must be one of"), "{error}");
    assert!(error.contains("; /") && error.contains("provider \"sms\": unknown key"), "{error}");
}

#[test]
fn a_simulated_provider_is_refused_in_production_unless_it_says_so() {
    let simulated = |more: &str| {
        let text = format!(
            "[[provider]]\nname = \"mails\"\nkind = \"simulated\"\nchannel = \"EMAIL\"\n{more}\n\
             [[provider.route]]\ncountry = \"*\"\n"
        );
        let declarations = parse(&text, &env).unwrap();
        check_for_production(Path::new("providers.toml"), &declarations)
    };
    let error = simulated("").unwrap_err().to_string();
    assert!(error.starts_with("providers.toml: provider \"mails\": kind "), "{error}");
    assert!(simulated("options.production = true").is_ok());
}
