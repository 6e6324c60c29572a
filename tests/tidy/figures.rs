//! Size of the tree, as `just count` prints it.

#![expect(clippy::expect_used, reason = "a test reports by panicking")]

use std::fs;

use crate::{
    circles,
    tokens::{end_of_item, tokens},
    tree::{RustFile, files, root, rust_files, shown},
};

/// Maximum length in lines. The lint counts seventy between the braces; a signature takes some more.
const MAX_FUNCTION: usize = 75;

struct Function {
    lines: usize,
    name: String,
    file: String,
}

#[test]
fn no_function_is_longer_than_a_page() {
    let files = rust_files();
    let functions = files.iter().flat_map(functions);
    let longest = functions.max_by_key(|function| function.lines).expect("there are functions");
    print_figures(&files, &longest);
    assert!(longest.lines <= MAX_FUNCTION, "{} in {}", longest.name, longest.file);
}

fn print_figures(rust: &[RustFile], longest: &Function) {
    let lines = |text: &str| text.lines().count();
    let total: usize = rust.iter().map(|file| lines(&file.text)).sum();
    let file = rust.iter().max_by_key(|file| lines(&file.text)).expect("there are files");
    println!("Rust: {} files, {total} lines", rust.len());
    println!("longest file: {} lines, {}", lines(&file.text), file.name);
    println!("longest function: {} lines, {} in {}", longest.lines, longest.name, longest.file);
    println!("circles of files: {}", circles::count(rust));
    let documents = files(&root().join("docs")).into_iter().chain([root().join("README.md")]);
    let documents = documents.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let mut total = 0;
    let mut count = 0;
    for path in documents {
        let text = fs::read_to_string(&path);
        total += lines(&text.unwrap_or_else(|error| panic!("{}: {error}", shown(&path))));
        count += 1;
    }
    println!("documents: {count} files, {total} lines");
}

fn functions(file: &RustFile) -> Vec<Function> {
    let code = tokens(&file.text);
    let mut found = Vec::new();
    for (at, token) in code.iter().enumerate() {
        let name = code.get(at + 1).filter(|name| token.text == "fn" && name.is_word());
        if let Some(name) = name {
            let end = end_of_item(&code, at) - 1;
            let lines = code[end].line - token.line + 1;
            let (name, file) = (name.text.to_owned(), file.name.clone());
            found.push(Function { lines, name, file });
        }
    }
    found
}
