//! Tests start programs that not every machine has by `test_harness::requires` alone, which skips the test
//! where one is missing.

use crate::tree::{assert_none, rust_files};

/// Programs of every Unix. The server of PostgreSQL and the programs of this workspace are found by path.
const EVERYWHERE: [&str; 8] = ["cp", "id", "kill", "mount", "prlimit", "ps", "sh", "umount"];
/// The crate that starts the others.
const HOME: &str = "crates/tools/test-harness/";

#[test]
fn programs_that_may_be_missing_are_asked_for() {
    let mut broken = Vec::new();
    for file in rust_files().iter().filter(|file| !file.name.starts_with(HOME)) {
        for name in started(&file.text).filter(|name| !EVERYWHERE.contains(name)) {
            broken.push(format!("{}: {name}", file.name));
        }
    }
    assert_none(&broken, "a program that may be missing is started by test_harness::requires");
}

#[test]
fn a_program_is_found_by_its_name_and_by_the_constant_that_has_it() {
    let begin = concat!("Command::", "new(");
    let code = format!("const A: &str = \"x\"; {begin}\"y\"); {begin}A); {begin}path); {begin}B)");
    assert_eq!(started(&code).collect::<Vec<_>>(), ["y", "x"]);
}

/// The programs that a file starts by a name that it holds itself.
fn started(text: &str) -> impl Iterator<Item = &str> {
    let calls = text.split(concat!("Command::", "new(")).skip(1);
    calls.filter_map(|call| {
        let argument = call.split([')', ',']).next().unwrap_or_default();
        literal(argument).or_else(|| {
            let declaration = format!("const {argument}: &str = ");
            literal(text.split_once(&declaration)?.1)
        })
    })
}

/// The text of the literal that code begins with.
fn literal(code: &str) -> Option<&str> {
    code.strip_prefix('"')?.split('"').next()
}
