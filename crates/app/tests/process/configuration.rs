//! Commands about the configuration.

use serde_json::{Value, json};

use crate::program::{command, empty_folder, run};

#[test]
fn the_settings_that_hold_are_printed_with_their_origin_and_without_secrets() {
    let folder = empty_folder();
    let file = folder.path().join("secret");
    std::fs::write(&file, "a s3cret that signs all sessions\n").unwrap();
    std::fs::write(folder.path().join("atumpan.toml"), "workers = 7\n").unwrap();
    let mut print = command(folder.path());
    print.args(["config", "--json"]).env("ATUMPAN_JWT_SECRET_FILE", &file);
    print.env("DATABASE_URL", "postgres://ama:s3cret@db.example/shop");

    let output = run(&mut print);

    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !text.contains("s3cret"), "{text}");
    let settings: Value = serde_json::from_str(&text).unwrap();
    let of = |name: &str| {
        let mut settings = settings.as_array().unwrap().iter();
        let found = settings.find(|setting| setting["name"] == name).unwrap();
        (found["value"].clone(), found["source"].clone())
    };
    assert_eq!(of("ATUMPAN_WORKERS"), (json!("7"), json!("atumpan.toml")));
    assert_eq!(of("ATUMPAN_JWT_SECRET"), (json!("***"), json!("secret file")));
    assert_eq!(of("DATABASE_URL"), (json!("db.example:5432/shop"), json!("environment")));
    assert_eq!(of("ATUMPAN_LOG"), (json!("text"), json!("default")));
    assert_eq!(of("REDIS_URL"), (Value::Null, json!("default")));
}

#[test]
fn a_check_names_all_faults_at_once() {
    let folder = empty_folder();
    let mut check = command(folder.path());
    check.args(["config", "check"]).env("ATUMPAN_WORKERS", "many");
    check.env("ATUMPAN_LISTN", "127.0.0.1:1").env("ATUMPAN_ENV", "production");

    let output = run(&mut check);

    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    for begin in [
        "ATUMPAN_LISTN is no setting (did you mean ATUMPAN_LISTEN?)",
        "DATABASE_URL must be set in production",
        "ATUMPAN_PUBLIC_URL must be set in production",
        "ATUMPAN_JWT_SECRET must be set in production",
        "ATUMPAN_WORKERS must be from 0 to 4096",
    ] {
        assert!(text.lines().any(|line| line.starts_with(begin)), "{begin}: {text}");
    }
    assert_eq!(text.lines().count(), 5, "{text}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "atumpan: the settings have 5 faults\n");
}

#[test]
fn a_check_reads_addresses_and_the_providers_file() {
    let folder = empty_folder();
    let check = || {
        let mut check = command(folder.path());
        check.args(["config", "check", "--json"]).env("ATUMPAN_PROVIDERS", "providers.toml");
        check
    };
    let file = folder.path().join("providers.toml");
    std::fs::write(&file, "[[provider]]\nname = \"a\"\n[[provider]]\nname = \"b\"\n").unwrap();
    let mut faulty = check();
    faulty.env("DATABASE_URL", "postgres://a:p@s3cret#1@127.0.0.1/shop");
    let output = run(faulty.env("REDIS_URL", "127.0.0.1:6379"));
    assert_eq!(output.status.code(), Some(1));
    let faults: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<_> = faults.as_array().unwrap().iter().map(|fault| &fault["name"]).collect();
    let providers = "ATUMPAN_PROVIDERS";
    assert_eq!(names, ["DATABASE_URL", "REDIS_URL", providers, providers], "{faults}");
    assert!(!faults.to_string().contains("s3cret"), "{faults}");

    std::fs::write(&file, "").unwrap();
    let output = run(&mut check());
    assert!(output.status.success());
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), json!([]));
    assert!(!folder.path().join(".atumpan").exists(), "nothing is started");
}

#[test]
fn the_kinds_of_providers_are_printed() {
    let folder = empty_folder();
    let output = run(command(folder.path()).args(["providers", "kinds", "--json"]));
    let kinds: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut all = kinds.as_array().unwrap().iter();
    let smtp = all.find(|kind| kind["kind"] == "smtp").unwrap();
    assert_eq!(smtp["optionalCredentials"], json!(["username", "password"]));
    assert_eq!((&smtp["needsBaseUrl"], &smtp["baseUrl"]), (&json!(true), &Value::Null));
}
