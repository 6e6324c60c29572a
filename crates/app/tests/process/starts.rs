//! Starts of the program, and its errors when it cannot start.

use std::{fs, process::Output};

use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use testkit::processes;

use crate::program::{command, empty_folder, folder, run, serve};
#[cfg(target_os = "linux")]
use crate::system;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn fails(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    text(&output.stderr)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_start_finds_what_the_first_one_kept_when_it_was_killed() {
    let folder = empty_folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    program.crash();

    let program = serve(folder.path());

    assert!((tenant.balance(&program).await - 10.0).abs() < 1e-9);
}

#[test]
fn two_services_never_share_a_data_directory() {
    let folder = folder();
    let _first = serve(folder.path());
    let error = fails(&run(&mut command(folder.path())));
    assert!(error.contains("use") && error.lines().count() == 1, "{error}");
}

#[test]
fn files_of_an_older_database_are_named_with_what_to_do_and_left_alone() {
    let folder = empty_folder();
    let cluster = folder.path().join(".atumpan/postgres");
    fs::create_dir_all(&cluster).unwrap();
    fs::write(cluster.join("PG_VERSION"), "14\n").unwrap();
    // No database is run as root, and only root may do this.
    let _ = std::os::unix::fs::chown(&cluster, Some(65_534), None);

    let error = fails(&run(&mut command(folder.path())));

    for part in [".atumpan/postgres", "14", "15", "pg_upgrade"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(fs::read_dir(&cluster).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_platform_administrator_is_made_while_the_service_runs() {
    let folder = folder();
    let program = serve(folder.path());
    let mut create = command(folder.path());
    create.args(["admin", "create", "--email", "root@example.com"]);
    create.env("ATUMPAN_ADMIN_PASSWORD", "battery staple");

    let output = run(&mut create);

    assert!(output.status.success(), "{}", text(&output.stderr));
    let http = program.tenant().await.http;
    let body = json!({"email": "root@example.com", "password": "battery staple"});
    let request = http.post(format!("{}/auth/login", program.url)).json(&body);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["data"]["user"]["platformRole"], "PLATFORM_SUPER_ADMIN");
}

#[test]
fn the_database_can_be_migrated_without_serving() {
    let folder = empty_folder();
    let output = run(command(folder.path()).arg("migrate"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("up to date"));
}

#[test]
fn a_command_about_a_database_makes_none() {
    let folder = empty_folder();
    let mut create = command(folder.path());
    create.args(["admin", "create", "--email", "root@example.com"]);
    create.env("ATUMPAN_ADMIN_PASSWORD", "battery staple");

    let error = fails(&run(&mut create));

    assert!(error.starts_with("atumpan: there is no database in "), "{error}");
    assert!(!folder.path().join(".atumpan").exists());
}

#[test]
fn an_invalid_address_of_redis_is_reported_with_its_variable() {
    let folder = empty_folder();
    let error = fails(&run(command(folder.path()).env("REDIS_URL", "127.0.0.1:6379")));
    assert!(error.contains("atumpan: REDIS_URL must be such as redis://"), "{error}");
}

#[test]
fn the_api_document_is_printed_without_a_database() {
    let folder = empty_folder();
    let output = run(command(folder.path()).arg("openapi"));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["paths"]["/messages/send"]["post"].is_object());
    assert!(!folder.path().join(".atumpan").exists());
}

#[test]
fn a_postman_collection_is_printed_without_a_database() {
    let folder = empty_folder();
    let output = run(command(folder.path()).args(["openapi", "--postman"]));
    let collection: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(collection["info"]["schema"].as_str().is_some_and(|it| it.contains("v2.1.0")));
    assert!(collection["item"].as_array().is_some_and(|folders| folders.len() > 20));
    assert!(!folder.path().join(".atumpan").exists());
}

#[test]
fn help_names_every_setting_and_command() {
    let folder = empty_folder();
    let help = text(&run(command(folder.path()).arg("--help")).stdout);
    for word in [
        "serve",
        "migrate",
        "admin",
        "openapi",
        "doctor",
        "config",
        "providers",
        "ATUMPAN_LISTEN",
        "ATUMPAN_METRICS_LISTEN",
        "ATUMPAN_EMBEDDED_DATABASE",
        "ATUMPAN_PUBLIC_URL",
        "ATUMPAN_DATA_DIR",
        "DATABASE_URL",
        "REDIS_URL",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "ATUMPAN_ENV",
        "ATUMPAN_JWT_SECRET",
        "ATUMPAN_JWT_SECRET_PREVIOUS",
        "ATUMPAN_SEAL_SECRET",
        "ATUMPAN_CALLBACK_SECRET",
        "ATUMPAN_DATABASE_WAIT_SECONDS",
        "ATUMPAN_ADMIN_EMAIL",
        "ATUMPAN_ADMIN_PASSWORD",
        "ATUMPAN_PROVIDERS",
        "ATUMPAN_RETENTION_DAYS",
        "ATUMPAN_WORKERS",
        "ATUMPAN_TRIAL_CREDIT_GHS",
        "ATUMPAN_RATE_LIMITS",
        "ATUMPAN_TRUSTED_PROXIES",
        "ATUMPAN_CORS_ORIGINS",
        "ATUMPAN_LIMIT_GUESTS",
        "ATUMPAN_LIMIT_LIVE",
        "ATUMPAN_LIMIT_REGISTRATIONS",
        "ATUMPAN_LIMIT_REQUESTS",
        "ATUMPAN_LIMIT_SANDBOX",
        "ATUMPAN_MAX_CONNECTIONS",
        "ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS",
        "ATUMPAN_CLIENT_TIMEOUT",
        "ATUMPAN_IDLE_TIMEOUT",
        "ATUMPAN_DRAIN_SECONDS",
        "ATUMPAN_LOG",
        "RUST_LOG",
    ] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn an_invalid_setting_ends_the_start_in_one_line() {
    let folder = empty_folder();
    let error = fails(&run(command(folder.path()).env("ATUMPAN_WORKERS", "many")));
    assert_eq!(error, "atumpan: ATUMPAN_WORKERS must be from 0 to 4096\n");
}

#[test]
fn an_invalid_providers_file_is_named_with_provider_and_key() {
    let folder = empty_folder();
    let usual = "[[provider]]\nname = \"sms\"\nkind = \"twilio\"\nchannel = \"SMS\"\n\
                 credentials.account_sid = \"AC1\"\ncredentials.auth_token = \"s3cr3t\"\n\
                 [[provider.route]]\ncountry = \"GH\"\n";
    for (from, to, key) in [
        ("kind = \"twilio\"", "kind = \"pigeon\"", "kind"),
        ("channel = \"SMS\"", "channel = \"EMAIL\"", "channel"),
        ("channel =", "max_per_second = 0\nchannel =", "max_per_second"),
        ("channel =", "max_concurrency = \"two\"\nchannel =", "max_concurrency"),
        ("channel =", "base_url = \"here\"\nchannel =", "base_url"),
        ("channel =", "chanel =", "channel"),
        ("credentials.auth_token", "pasword = \"s3cr3t\"\ncredentials.auth_token", "pasword"),
        ("auth_token = \"s3cr3t\"", "auth_tokn = \"s3cr3t\"", "auth_to"),
        ("account_sid = \"AC1\"", "account_sid = \"s3cr3t!\"", "credentials.account_sid"),
        ("\"s3cr3t\"", "{ env = \"NOT_SET\" }", "credentials.auth_token"),
        ("country = \"GH\"", "country = \"Ghana\"", "route.country"),
        ("country = \"GH\"", "contry = \"GH\"", "route.c"),
    ] {
        let text = usual.replace(from, to);
        assert_ne!(text, usual, "{from}");
        std::fs::write(folder.path().join("providers.toml"), text).unwrap();
        let log = fails(&run(command(folder.path()).env("ATUMPAN_PROVIDERS", "providers.toml")));
        let error = log.lines().last().unwrap();
        for word in ["atumpan: providers.toml", "\"sms\"", key] {
            assert!(error.contains(word), "{key}: {error}");
        }
        assert!(!log.contains("s3cr3t"), "{log}");
    }
}

#[test]
fn the_addresses_for_the_vendors_consoles_are_printed() {
    let folder = folder();
    let printed = |api_key: &str, secret: &str| {
        std::fs::write(
            folder.path().join("providers.toml"),
            format!(
                "[[provider]]\nname = \"sms\"\nkind = \"africas-talking\"\nchannel = \"SMS\"\n\
                 credentials.username = \"u\"\ncredentials.api_key = \"{api_key}\"\n\
                 [[provider.route]]\ncountry = \"GH\"\n"
            ),
        )
        .unwrap();
        let mut callbacks = command(folder.path());
        callbacks.arg("callbacks").env("ATUMPAN_PROVIDERS", "providers.toml");
        callbacks.env("ATUMPAN_PUBLIC_URL", "https://notify.example.com/");
        text(&run(callbacks.env("ATUMPAN_CALLBACK_SECRET", secret)).stdout)
    };

    let kept = printed("old", "");

    let address = "sms: https://notify.example.com/callbacks/providers/sms?token=";
    assert!(kept.starts_with(address), "{kept}");
    assert_eq!(kept.trim_end().len(), address.len() + 32);
    assert_eq!(printed("new", ""), kept, "the address stays when the key of the vendor changes");
    let secret = "a secret that vendors never see 1";
    assert_ne!(printed("new", secret), kept);
    assert_eq!(printed("new", secret), printed("old", secret));
}

#[test]
fn a_database_that_is_given_is_used_and_no_other_started() {
    let folder = empty_folder();
    let given = "postgres://nobody:s3cret@127.0.0.1:1/nothing";
    let mut start = command(folder.path());
    start.env("DATABASE_URL", given).env("ATUMPAN_DATABASE_WAIT_SECONDS", "0");
    let error = fails(&run(&mut start));
    assert!(error.starts_with("atumpan: DATABASE_URL (127.0.0.1:1/nothing): "), "{error}");
    assert!(error.contains("refused") && !error.contains("s3cret"), "{error}");
    assert!(!folder.path().join(".atumpan").exists());
}

#[test]
fn an_invalid_address_of_a_database_is_not_shown() {
    let folder = empty_folder();
    for (given, hint) in [
        ("host=127.0.0.1 password=a s3cret=b", "postgres://"),
        ("mysql://root:s3cret@127.0.0.1/shop", "postgres://"),
        ("postgres://a:s3cret@127.0.0.1/shop?sslmode=maybe", "sslmode must be"),
        ("postgres://a:s3cret@127.0.0.1/shop?connect_timeout=x", "option `connect_timeout`"),
        ("postgres://a:s3cret@127.0.0.1/shop?sslcert=/a.pem", "`sslcert` is not supported"),
        ("postgres://a:p@s3cret#1@127.0.0.1/shop", "percent-encoded"),
    ] {
        let error = fails(&run(command(folder.path()).env("DATABASE_URL", given)));
        assert!(error.starts_with("atumpan: DATABASE_URL must be such as "), "{error}");
        assert!(error.contains(hint) && !error.contains("s3cret"), "{error}");
    }
}

#[test]
fn an_address_in_use_is_reported_before_a_database_is_created() {
    let folder = empty_folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = fails(&run(command(folder.path()).env("ATUMPAN_LISTEN", &address)));
    assert!(error.starts_with(&format!("atumpan: cannot listen on {address}: ")), "{error}");
    assert!(!folder.path().join(".atumpan").exists());
}

#[test]
fn an_invalid_toml_file_is_reported_with_line_and_column() {
    let folder = empty_folder();
    let file = folder.path().join("atumpan.toml");
    std::fs::write(&file, "workers = 3\njwt_secret = s3cret\n").unwrap();
    let error = fails(&run(&mut command(folder.path())));
    assert!(error.starts_with("atumpan: atumpan.toml is not TOML: line 2, column 14: "), "{error}");
    assert!(!error.contains("s3cret"), "{error}");
    std::fs::remove_file(file).unwrap();

    std::fs::write(folder.path().join("providers.toml"), "[[provider]\n").unwrap();
    let error = fails(&run(command(folder.path())
        .arg("callbacks")
        .env("ATUMPAN_PROVIDERS", "providers.toml")));
    assert!(error.starts_with("atumpan: providers.toml: is not TOML: line 1, column "), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_ends_with_an_error_when_its_database_does() {
    let folder = folder();
    let mut program = serve(folder.path());
    let mut children = processes::children(program.id()).into_iter();
    let server = children.find(|id| system::name(*id) == "postgres").unwrap();

    processes::signal(server, "KILL").unwrap();

    assert_eq!(program.wait().code(), Some(1));
}
