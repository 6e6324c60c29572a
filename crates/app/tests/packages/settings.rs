//! Settings that packages name: the program knows them.

use std::{fs, process::Output};

use crate::files::{PROGRAM, read};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Asserts that these are variables that the help describes, or with `_FILE` behind them.
#[track_caller]
pub(crate) fn assert_known<'a>(variables: impl Iterator<Item = &'a str>) {
    let help = testkit::command(PROGRAM).arg("--help").output().unwrap();
    let help = text(&help.stdout);
    for variable in variables {
        let name = variable.strip_suffix("_FILE").unwrap_or(variable);
        assert!(help.split_whitespace().any(|word| word == name), "{variable}");
    }
}

/// Runs a command that reads the settings and needs no database, in a folder with that file of settings.
fn run_with(settings: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("database-url", "postgres://atumpan@127.0.0.1/atumpan"),
        ("jwt-secret", "a secret that is long enough for it"),
        ("seal-secret", "another secret that is long enough"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("atumpan.toml"), settings).unwrap();
    let mut command = testkit::command(PROGRAM);
    // It would take precedence.
    command.env_remove("ATUMPAN_LISTEN").current_dir(folder.path());
    command.arg("callbacks").output().unwrap()
}

#[test]
fn the_settings_of_the_package_are_valid() {
    let settings = read("docs/deploy/debian/atumpan.toml").replace("/etc/atumpan/secrets/", "");

    let output = run_with(&settings);

    let error = text(&output.stderr);
    assert_eq!(error, "atumpan: ATUMPAN_PROVIDERS names no providers file\n");
}

#[test]
fn the_settings_that_the_package_leaves_out_are_keys() {
    let settings = read("docs/deploy/debian/atumpan.toml");
    let settings = settings.lines().filter(|line| !line.starts_with("database_url "));
    let settings: Vec<_> = settings
        .map(|line| line.strip_prefix("# ").filter(|it| it.contains(" = ")).unwrap_or(line))
        .map(|line| line.replace("/etc/atumpan/secrets/", "") + "\n")
        .collect();

    let output = run_with(&settings.concat());

    let error = text(&output.stderr);
    let providers = "/etc/atumpan/providers.toml";
    assert!(error.contains(providers) && !error.contains("unknown key"), "{error}");
}
