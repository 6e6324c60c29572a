//! Rule that tests start optional programs only by `testkit::requires`, which skips the test if the
//! program is missing.

use crate::tree::{assert_none, rust_files};

/// Programs of every Unix. The server of PostgreSQL and the programs of this workspace are found by path.
const EVERYWHERE: [&str; 9] =
    ["cp", "getconf", "id", "kill", "mount", "prlimit", "ps", "sh", "umount"];
/// Folder of the crate that starts optional programs.
const HOME: &str = "crates/tools/testkit/";

#[test]
fn optional_programs_are_started_through_requires() {
    let mut broken = Vec::new();
    for file in rust_files().iter().filter(|file| !file.name.starts_with(HOME)) {
        for name in started(&file.text).filter(|name| !EVERYWHERE.contains(name)) {
            broken.push(format!("{}: {name}", file.name));
        }
    }
    assert_none(&broken, "a program that may be missing is started by testkit::requires");
}

#[test]
fn finds_a_program_by_literal_or_constant() {
    let begin = concat!("Command::", "new(");
    let code = format!("const A: &str = \"x\"; {begin}\"y\"); {begin}A); {begin}path); {begin}B)");
    assert_eq!(started(&code).collect::<Vec<_>>(), ["y", "x"]);
}

/// Returns the programs that a file starts by a literal or by one of its constants.
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

/// Returns the text of the string literal at the beginning of the code.
fn literal(code: &str) -> Option<&str> {
    code.strip_prefix('"')?.split('"').next()
}
