//! House rules that no other tool checks. Every failure names the rule and the file.

mod alerts;
mod circles;
mod documents;
mod figures;
mod language;
mod log_fields;
mod migrations;
mod modules;
mod packages;
mod pages;
mod programs;
mod released_schema;
mod sql_texts;
mod statements;
mod subjects;
mod table_classes;
mod tokens;
mod tree;

use std::collections::BTreeSet;

use toml::{Table, Value};

use self::tree::{assert_none, entries, read_toml, rust_files};

/// Crates of the workspace that each crate may depend on. `docs/architecture.md` draws them.
const LAYERS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("ports", &["domain"]),
    ("usecases", &["domain", "ports"]),
    ("adapters-memory", &["domain", "ports"]),
    ("adapters-postgres", &["domain", "ports"]),
    ("adapters-providers", &["domain", "ports"]),
    ("adapters-redis", &["domain", "ports"]),
    ("adapters-otel", &["domain", "ports"]),
    ("runtime", &["domain", "ports", "usecases"]),
    (
        "atumpan",
        &[
            "domain",
            "ports",
            "usecases",
            "runtime",
            "adapters-memory",
            "adapters-postgres",
            "adapters-providers",
        ],
    ),
    ("adapters-http", &["domain", "ports", "usecases", "runtime"]),
    ("adapters-dashboard", &["domain", "ports", "usecases", "adapters-http"]),
    (
        "app",
        &[
            "domain",
            "ports",
            "usecases",
            "runtime",
            "adapters-dashboard",
            "adapters-http",
            "adapters-otel",
            "adapters-postgres",
            "adapters-providers",
            "adapters-redis",
        ],
    ),
    (
        "bench",
        &["ports", "adapters-dashboard", "adapters-http", "adapters-postgres", "app", "testkit"],
    ),
    ("faults", &["app", "testkit"]),
    ("testkit", &[]),
    ("simulation", &["domain", "ports", "usecases", "runtime", "adapters-memory"]),
];

/// Crates that examples and tests of all crates may use: an adapter without external dependencies, and
/// the tools of tests.
const FOR_TESTS: [&str; 2] = ["adapters-memory", "testkit"];

/// Third-party crates that the inner crates may use. They do no I/O.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "domain",
        &[
            "chrono",
            "csv-core",
            "hmac",
            "phonenumber",
            "serde",
            "serde_json",
            "sha1",
            "sha2",
            "strsim",
            "thiserror",
            "unicode-normalization",
            "uuid",
        ],
    ),
    ("ports", &["async-trait", "chrono", "mockall", "thiserror"]),
    (
        "usecases",
        &[
            "async-trait",
            "chrono",
            "derive_more",
            "futures-util",
            "metrics",
            "moka",
            "sha2",
            "thiserror",
            "tracing",
        ],
    ),
];

/// Crates that may use a technology. A `*` stands for any ending.
const CONFINED: &[(&str, &[&str])] = &[
    ("diesel*", &["adapters-postgres"]),
    ("tokio-postgres*", &["adapters-postgres", "bench", "faults"]),
    ("actix-*", &["adapters-dashboard", "adapters-http", "bench"]),
    ("opentelemetry*", &["adapters-otel"]),
    ("reqwest", &["adapters-http", "adapters-otel", "adapters-providers", "faults", "testkit"]),
    ("redis", &["adapters-redis"]),
    ("lettre", &["adapters-providers"]),
];

/// Allowed entries of the top level, besides dotfiles. The last three are created locally.
const TOP_LEVEL: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "clients",
    "crates",
    "docs",
    "justfile",
    "migrations",
    "tests",
    "atumpan.toml",
    "providers.toml",
    "target",
];

const MAX_LINES: usize = 400;
/// Beginnings of a file that says what it is for; the second is that of a crate with a page.
const PURPOSES: [&str; 2] = ["//!", "#![doc = include_str!(\"../README.md\")]"];
/// Minimum number of words in the name of a test.
const MIN_WORDS: usize = 3;
/// Only file that reads the system time.
const CLOCK: &str = "crates/runtime/src/clock.rs";

/// Crates that measure and test the others. They are in `crates/tools`.
const TOOLS: [&str; 4] = ["bench", "faults", "simulation", "testkit"];

#[test]
fn every_crate_belongs_to_a_layer() {
    let known: BTreeSet<_> = LAYERS.iter().map(|(name, _)| folder(name)).collect();
    let inner = entries("crates").into_iter().filter(|name| name != "tools");
    let tools = entries("crates/tools").into_iter().map(|name| format!("tools/{name}"));
    let found: BTreeSet<_> = inner.chain(tools).map(|name| format!("crates/{name}")).collect();
    assert_eq!(found, known, "the folders of crates/ are those of LAYERS in tests/tidy");
}

#[test]
fn crates_depend_inwards_only() {
    let mut broken = Vec::new();
    for (name, allowed) in LAYERS {
        for dependency in dependencies(name) {
            let is_ours = LAYERS.iter().any(|(layer, _)| *layer == dependency.package);
            let is_for_tests =
                dependency.is_for_tests() && FOR_TESTS.contains(&dependency.package.as_str());
            if is_ours && !is_for_tests && !allowed.contains(&dependency.package.as_str()) {
                broken.push(format!(
                    "{name} depends on {} ([{}]); it may use only {allowed:?}",
                    dependency.package, dependency.section
                ));
            }
        }
    }
    assert_none(&broken, "dependencies point inwards");
}

#[test]
fn inner_crates_use_only_listed_packages() {
    let mut broken = Vec::new();
    for (name, allowed) in FOREIGN {
        for dependency in dependencies(name).iter().filter(|it| !it.is_for_tests()) {
            let package = dependency.package.as_str();
            let is_ours = LAYERS.iter().any(|(layer, _)| *layer == package);
            if !is_ours && !allowed.contains(&package) {
                broken.push(format!("{name} depends on {package}"));
            }
        }
    }
    assert_none(&broken, "inner crates use what FOREIGN in tests/tidy lists and nothing else");
}

#[test]
fn mocks_stay_out_of_the_program() {
    let mut broken = Vec::new();
    for (name, _) in LAYERS {
        for dependency in dependencies(name).iter().filter(|it| !it.is_for_tests()) {
            if dependency.package == "mockall" && !dependency.is_optional {
                broken.push(format!("{name} depends on mockall always; it must be optional"));
            }
            if dependency.features.iter().any(|feature| feature == "mock") {
                broken.push(format!("{name} enables `mock` of {}", dependency.package));
            }
        }
    }
    assert_none(&broken, "test doubles are for [dev-dependencies]");
}

#[test]
fn a_technology_is_used_only_in_its_adapter() {
    let mut broken = Vec::new();
    for (name, _) in LAYERS {
        for dependency in dependencies(name).iter().filter(|it| !it.is_for_tests()) {
            let homes =
                CONFINED.iter().filter(|(pattern, _)| matches(pattern, &dependency.package));
            for (_, homes) in homes.filter(|(_, homes)| !homes.contains(name)) {
                let package = &dependency.package;
                broken.push(format!("{name} depends on {package}, which belongs in {homes:?}"));
            }
        }
    }
    assert_none(&broken, "a technology is known to its adapter alone");
}

#[test]
fn files_are_short_and_state_their_purpose() {
    let mut broken = Vec::new();
    for file in rust_files() {
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            broken.push(format!("{}: {lines} lines, more than {MAX_LINES}", file.name));
        }
        if !PURPOSES.iter().any(|purpose| file.text.starts_with(*purpose)) {
            broken.push(format!("{}: the first line does not begin with `//!`", file.name));
        }
    }
    assert_none(&broken, "files are short and begin with what they are for");
}

#[test]
fn no_module_is_named_mod() {
    let files = rust_files();
    let broken: Vec<_> =
        files.iter().filter(|file| file.name.ends_with("/mod.rs")).map(|it| &it.name).collect();
    assert_none(&broken, "a module is `area.rs`, never `mod.rs`");
}

#[test]
fn no_module_has_a_path_attribute() {
    let attribute = [concat!("#[pa", "th")];
    assert_none(&occurrences(&attribute, |_| true), "no module has a path attribute");
}

#[test]
fn no_code_is_unfinished_and_no_test_ignored() {
    let unfinished = [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("#[ign", "ore")];
    assert_none(&occurrences(&unfinished, |_| true), "code is finished, and tests are run");
}

#[test]
fn only_the_clock_reads_the_system_time() {
    let clocks = [concat!("Utc::", "now"), concat!("Uuid::", "now_v7")];
    let broken = occurrences(&clocks, |name| name != CLOCK);
    assert_none(&broken, &format!("the time comes from the port `Clock`, that is, from {CLOCK}"));
}

#[test]
fn a_test_name_is_a_sentence() {
    let mut broken = Vec::new();
    for file in rust_files() {
        for name in tests_of(&file.text) {
            if name.split('_').count() < MIN_WORDS || name.starts_with("test_") {
                broken.push(format!("{}: {name}", file.name));
            }
        }
    }
    let rule = format!("a test's name says in {MIN_WORDS} words or more what holds");
    assert_none(&broken, &rule);
}

#[test]
fn the_top_level_has_only_listed_entries() {
    let is_stray = |name: &String| !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str());
    let broken: Vec<_> = entries("").into_iter().filter(is_stray).collect();
    assert_none(&broken, "the top level holds what TOP_LEVEL in tests/tidy lists, and dotfiles");
}

/// Dependency of a crate.
struct Dependency {
    section: String,
    /// Name in `LAYERS`, or the real name of a foreign package.
    package: String,
    features: Vec<String>,
    is_optional: bool,
}

impl Dependency {
    fn is_for_tests(&self) -> bool {
        self.section.ends_with("dev-dependencies")
    }
}

/// Returns all dependencies of a crate, including those for one platform.
fn dependencies(name: &str) -> Vec<Dependency> {
    let manifest = read_toml(&format!("{}/Cargo.toml", folder(name)));
    let common = read_toml("Cargo.toml");
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flatten().filter_map(|(_, target)| target.as_table());
    let mut found = Vec::new();
    for table in targets.chain([&manifest]) {
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let entries = table.get(section).and_then(Value::as_table);
            for (key, entry) in entries.into_iter().flatten() {
                found.push(dependency(section, key, entry, &common));
            }
        }
    }
    found
}

fn dependency(section: &str, key: &str, entry: &Value, common: &Table) -> Dependency {
    let inherited = common["workspace"]["dependencies"].get(key);
    let inherited = inherited.filter(|_| entry.get("workspace").is_some());
    let both = || [Some(entry), inherited].into_iter().flatten();
    let features = both().filter_map(|it| it.get("features")?.as_array()).flatten();
    let package = both().find_map(|it| it.get("package")?.as_str());
    Dependency {
        section: section.to_owned(),
        package: layer_of(package.unwrap_or(key)).to_owned(),
        features: features.filter_map(|it| it.as_str().map(str::to_owned)).collect(),
        is_optional: entry.get("optional").and_then(Value::as_bool).unwrap_or_default(),
    }
}

/// Folder of a crate, from the top.
fn folder(name: &str) -> String {
    let parent = if TOOLS.contains(&name) { "crates/tools" } else { "crates" };
    format!("{parent}/{name}")
}

/// Name in `LAYERS` of a package: crates are published as `atumpan-…`, and the program as `atumpan-server`.
fn layer_of(package: &str) -> &str {
    match package {
        "atumpan-server" => "app",
        package => package.strip_prefix("atumpan-").unwrap_or(package),
    }
}

fn matches(pattern: &str, package: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => package.starts_with(beginning),
        None => package == pattern,
    }
}

/// Returns the places where code, not a comment, contains one of `needles`.
fn occurrences(needles: &[&str], concerns: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in rust_files().iter().filter(|file| concerns(&file.name)) {
        for (index, line) in file.text.lines().enumerate() {
            let is_code = !line.trim_start().starts_with("//");
            if let Some(needle) = needles.iter().find(|it| is_code && line.contains(**it)) {
                found.push(format!("{}:{}: {needle}", file.name, index + 1));
            }
        }
    }
    found
}

/// Returns the names of the functions under an attribute `#[test]`, `#[tokio::test]` and the like.
fn tests_of(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        let attribute = line.strip_prefix("#[").and_then(|line| line.split(['(', ']']).next());
        is_test |= attribute.is_some_and(|path| path == "test" || path.ends_with("::test"));
        let function = line.trim_start_matches("async ").strip_prefix("fn ");
        if let Some(function) = function.filter(|_| is_test) {
            names.extend(function.split(['(', '<']).next());
            is_test = false;
        }
    }
    names
}
