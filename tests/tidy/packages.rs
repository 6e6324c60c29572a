//! Rules for packages: those that others may depend on say what they are and show how they are used, and no
//! others than the listed ones have programs.

use std::{collections::BTreeSet, fs};

use toml::{Table, Value};

use crate::{
    LAYERS, folder,
    tree::{RustFile, assert_none, entries, files, read_toml, root, rust_files, shown},
};

/// Keys of a package that the registry shows.
const KEYS: [&str; 7] =
    ["description", "license", "keywords", "categories", "readme", "rust-version", "version"];
/// Line by which the page of a crate is its documentation.
const INCLUDES_PAGE: &str = "#![doc = include_str!(\"../README.md\")]";
/// Crates with an example in each public module of a subject.
const WITH_EXAMPLES: [&str; 2] = ["domain", "ports"];

#[test]
fn published_crates_say_what_they_are() {
    let mut broken = Vec::new();
    for (name, manifest) in published() {
        let package = manifest["package"].as_table().cloned().unwrap_or_default();
        for key in KEYS.iter().filter(|key| !package.contains_key(**key)) {
            broken.push(format!("crates/{name}/Cargo.toml: no {key}"));
        }
        for file in ["README.md", "LICENSE"] {
            if !root().join("crates").join(&name).join(file).exists() {
                broken.push(format!("crates/{name}: no {file}"));
            }
        }
    }
    assert_none(&broken, "a crate without `publish` is ready to be published");
}

#[test]
fn the_page_of_a_published_crate_is_its_documentation() {
    let mut broken = Vec::new();
    for (name, manifest) in published() {
        let read = |file: &str| {
            let path = root().join("crates").join(&name).join(file);
            fs::read_to_string(&path).unwrap_or_default()
        };
        let faults = page_faults(&manifest, &read("README.md"), &read("src/lib.rs"));
        broken.extend(faults.iter().map(|fault| format!("crates/{name}: {fault}")));
    }
    assert_none(&broken, "the README.md of a crate is its documentation, with a tested example");
}

/// Returns the reasons why the page of a crate is not its tested documentation.
fn page_faults(manifest: &Table, page: &str, library: &str) -> Vec<&'static str> {
    let name = manifest["package"].get("name").and_then(Value::as_str).unwrap_or_default();
    let title = format!("# {name}");
    let tested = manifest.get("lib").and_then(|lib| lib.get("doctest")).and_then(Value::as_bool);
    let mut links = page.split("](").skip(1);
    let checks = [
        (page.lines().next() == Some(title.as_str()), "the title is not its name"),
        (library.lines().any(|line| line == INCLUDES_PAGE), "src/lib.rs does not include it"),
        (page.contains("\n```rust\n"), "it has no example"),
        (tested != Some(false), "its examples are not tested"),
        // Registries show it alone.
        (links.all(|link| link.starts_with("https://")), "it links to a file"),
    ];
    checks.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}

#[test]
fn faults_of_the_page_of_a_crate_are_named() {
    let manifest: Table = "[package]\nname = \"a-b\"\n[lib]\ndoctest = false\n".parse().unwrap();
    let page = "# b\n\nIt is [c](../c.md).\n\n```sh\nls\n```\n";
    let expected = [
        "the title is not its name",
        "src/lib.rs does not include it",
        "it has no example",
        "its examples are not tested",
        "it links to a file",
    ];
    assert_eq!(page_faults(&manifest, page, "//! Words.\n"), expected);

    let manifest: Table = "[package]\nname = \"a-b\"\n".parse().unwrap();
    let page = "# a-b\n\nIt is [c](https://c.org).\n\n```rust\nassert!(true);\n```\n";
    let library = format!("{INCLUDES_PAGE}\n\nmod c;\n");
    assert!(page_faults(&manifest, page, &library).is_empty());
}

#[test]
fn each_public_module_shows_how_it_is_used() {
    let files = rust_files();
    let mut broken = Vec::new();
    for name in WITH_EXAMPLES {
        let folder = format!("crates/{name}/src/");
        let is_subject = |path: &str| {
            let inner = path.strip_prefix(&folder).filter(|inner| *inner != "lib.rs");
            inner.is_some_and(|inner| !inner.contains('/'))
        };
        for subject in files.iter().filter(|file| is_subject(&file.name)) {
            let parent = subject.name.trim_end_matches(".rs");
            for line in subject.text.lines() {
                let module = line.strip_prefix("pub mod ").and_then(|it| it.strip_suffix(';'));
                let Some(module) = module else { continue };
                let path = format!("{parent}/{module}.rs");
                let file = files.iter().find(|file| file.name == path);
                let shows = |file: &RustFile| {
                    file.text.contains("\n//! ```\n") || file.text.contains("\n/// ```\n")
                };
                if !file.is_some_and(shows) {
                    broken.push(path);
                }
            }
        }
    }
    assert_none(&broken, "a public module of a subject has an example in its documentation");
}

#[test]
fn the_workspace_has_only_the_listed_programs() {
    let folders = LAYERS.iter().map(|(name, _)| folder(name));
    let mut programs = Vec::new();
    for folder in folders.chain(["tests".to_owned()]) {
        let manifest = read_toml(&format!("{folder}/Cargo.toml"));
        let declared = manifest.get("bin").and_then(Value::as_array).into_iter().flatten();
        let declared = declared.filter_map(|program| program.get("path")?.as_str());
        let mut paths: BTreeSet<_> = declared.map(|path| format!("{folder}/{path}")).collect();
        let usual = [format!("{folder}/src/main.rs")];
        let more = files(&root().join(&folder).join("src/bin"));
        paths.extend(usual.into_iter().chain(more.iter().map(|path| shown(path))));
        programs.extend(paths.into_iter().filter(|path| root().join(path).exists()));
    }
    programs.sort();
    let known = ["app", "bench", "faults", "simulation"]
        .map(|name| format!("{}/src/main.rs", folder(name)));
    assert_eq!(programs, known, "there are the programs atumpan, bench, faults and simulate");
}

/// Returns the crates that may be published, each with its manifest.
fn published() -> Vec<(String, Table)> {
    let mut found = Vec::new();
    for name in entries("crates").into_iter().filter(|name| name != "tools") {
        let manifest = read_toml(&format!("crates/{name}/Cargo.toml"));
        if manifest["package"].get("publish").is_none() {
            found.push((name, manifest));
        }
    }
    found
}
