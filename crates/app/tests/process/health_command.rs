//! `atumpan health` asks a service on this machine.

use std::process::Output;

use crate::program::{command, empty_folder, folder, run, serve, serve_with};

/// Asks the service at that address.
fn ask(address: &str, arguments: &[&str]) -> Output {
    let elsewhere = empty_folder();
    let mut ask = command(elsewhere.path());
    run(ask.env("ATUMPAN_LISTEN", address).arg("health").args(arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_healthy_service_is_printed_and_one_that_is_gone_is_an_error() {
    let folder = folder();
    let mut program = serve(folder.path());
    let address = program.address().to_string();

    let questions: [&[&str]; 4] = [&[], &["--ready"], &["--live"], &["--address", &address]];
    for arguments in questions {
        let output = ask(&address, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert!(text(&output.stdout).starts_with("{\"status\":\"ok\""), "{output:?}");
    }

    program.stop().unwrap();
    let output = ask(&address, &[]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.starts_with(&format!("atumpan: http://{address} does not answer: ")), "{error}");
}

#[test]
fn a_degraded_service_is_an_error_and_yet_ready() {
    let folder = folder();
    let program = serve_with(command(folder.path()).env("REDIS_URL", "redis://127.0.0.1:1"));
    let address = program.address().to_string();

    let output = ask(&address, &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = text(&output.stderr);
    assert!(error.contains(" answers 503: {\"status\":\"degraded\""), "{error}");
    assert_eq!(ask(&address, &["--ready"]).status.code(), Some(0));
}

#[test]
fn an_address_that_is_none_is_named_with_its_variable() {
    let error = text(&ask("8080", &[]).stderr);
    assert!(error.starts_with("atumpan: ATUMPAN_LISTEN must be an address"), "{error}");
}
