//! Rule that every statement of `adapters-postgres` suits the migrated schema.

use std::collections::HashMap;

use acceptance::database_url;

use crate::{
    table_classes::connect,
    tokens::{Token, tokens_and_literals, without_tests},
    tree::{RustFile, assert_none, rust_files},
};

const ADAPTER: &str = "crates/adapters-postgres/src/";
/// Macro of a statement, and macros that add values to it.
pub(crate) const MACROS: [&str; 3] = ["sql", "write_line", "accept"];
/// Tables that the check of counters creates for itself.
const TEMPORARY: [&str; 3] = ["unposted", "logged", "logged_of_campaigns"];

#[tokio::test]
async fn every_statement_suits_the_schema() {
    let mut files = rust_files();
    files.retain(|file| file.name.starts_with(ADAPTER));
    let texts = sql_texts(&files);
    assert!(texts.len() > 350, "only {} statements were found", texts.len());
    let client = connect(&database_url().await).await;
    let mut broken = Vec::new();
    for SqlText { place, text } in &texts {
        let checked = match text {
            Ok(text) => match client.prepare(&numbered(text)).await {
                Err(error) if !lacks_temporary_table(&error) => Err(told(&error)),
                _ => Ok(()),
            },
            Err(unknown) => {
                Err(format!("the text {unknown} is no constant of the crate, or one of several"))
            }
        };
        broken.extend(checked.err().map(|error| format!("{place}: {error}")));
    }
    assert_none(&broken, "a parameter whose type does not follow from the text has a cast");
}

fn lacks_temporary_table(error: &tokio_postgres::Error) -> bool {
    let missing = TEMPORARY.map(|table| format!("relation \"{table}\" does not exist"));
    error.as_db_error().is_some_and(|error| missing.iter().any(|it| it == error.message()))
}

fn told(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Text of a statement with its named parameters, and its place; the name of a part that was not
/// found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SqlText {
    pub(crate) place: String,
    pub(crate) text: Result<String, String>,
}

/// Returns the texts of all uses of `sql!`.
pub(crate) fn sql_texts(files: &[RustFile]) -> Vec<SqlText> {
    let files: Vec<_> = files
        .iter()
        .map(|file| (file.name.as_str(), without_tests(&tokens_and_literals(&file.text))))
        .collect();
    let constants = constants(&files);
    let mut found = Vec::new();
    for (file, tokens) in &files {
        for at in 0..tokens.len() {
            if is_use(&tokens[at..]) {
                let parts = parts(&tokens[at + 3..]);
                let texts = parts.iter().map(|part| text_of(part, file, &constants));
                let place = format!("{file}:{}", tokens[at].line);
                found.push(SqlText { place, text: texts.collect() });
            }
        }
    }
    found
}

/// True if a macro with a text begins there. The definitions of macros have variables instead.
fn is_use(tokens: &[Token<'_>]) -> bool {
    let [name, sign, open, first, second, ..] = tokens else { return false };
    MACROS.contains(&name.text)
        && sign.text == "!"
        && ["(", "{"].contains(&open.text)
        && !["$", "@"].contains(&first.text)
        && second.text != "$"
}

/// Texts of constants by name, with their files.
type Constants<'a> = HashMap<&'a str, Vec<(&'a str, String)>>;

fn constants<'a>(files: &[(&'a str, Vec<Token<'a>>)]) -> Constants<'a> {
    let mut found = Constants::new();
    for (file, tokens) in files {
        for seven in tokens.windows(7) {
            let [keyword, name, colon, and, text_type, equals, value] = seven else { continue };
            let shape = [keyword, colon, and, text_type, equals].map(|token| token.text);
            if shape == ["const", ":", "&", "str", "="] && value.is_literal() {
                found.entry(name.text).or_default().push((file, unescaped(value.text)));
            }
        }
    }
    found
}

/// Returns the parts of the text that begins the arguments of a macro.
fn parts<'t, 'a>(arguments: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let is_list = arguments[0].text == "[";
    let arguments = if is_list { &arguments[1..] } else { arguments };
    let end = arguments.iter().position(|token| match token.text {
        "]" | ")" => true,
        "," => !is_list,
        _ => false,
    });
    let text = &arguments[..end.unwrap_or(arguments.len())];
    text.split(|token| token.text == ",").filter(|part| !part.is_empty()).collect()
}

/// Returns the text of a literal, or of a constant by its path. A constant of the same file comes
/// first, then one of the file that the path names, then the only one of that name in the folder, then
/// the only one in the crate.
fn text_of(part: &[Token<'_>], file: &str, constants: &Constants<'_>) -> Result<String, String> {
    let Some(last) = part.last() else { return Err("nothing".to_owned()) };
    if last.is_literal() {
        return Ok(unescaped(last.text));
    }
    let known = constants.get(last.text).map_or(&[][..], Vec::as_slice);
    let path: Vec<_> = part.iter().map(|token| token.text).collect();
    let module = path.iter().rev().nth(2).copied().unwrap_or_default();
    // The module may export a constant of a file below it.
    let is_named = |place: &str| {
        place.ends_with(&format!("/{module}.rs")) || place.contains(&format!("/{module}/"))
    };
    let text = known
        .iter()
        .find(|(place, _)| *place == file)
        .or_else(|| known.iter().find(|(place, _)| is_named(place)))
        .or_else(|| only(known.iter().filter(|(place, _)| folder_of(place) == folder_of(file))))
        .or_else(|| only(known.iter()));
    text.map(|(_, text)| text.clone()).ok_or_else(|| path.concat())
}

/// Returns the item if it is the only one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let item = items.next()?;
    items.next().is_none().then_some(item)
}

fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the text of a literal without its quotes and escapes.
fn unescaped(literal: &str) -> String {
    let text = literal.trim_start_matches('"').strip_suffix('"').unwrap_or(literal);
    let mut unescaped = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => while letters.next_if(|it| it.is_whitespace()).is_some() {},
            ('\\', Some(_)) => unescaped.extend(letters.next()),
            _ => unescaped.push(letter),
        }
    }
    unescaped
}

/// Returns a text with numbers for its parameters.
fn numbered(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut numbered = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        numbered.push_str(before);
        let name = after.split('}').next().unwrap_or_default();
        if !name.is_empty() && name.chars().all(|it| it.is_ascii_lowercase() || it == '_') {
            let number = names.iter().position(|it| *it == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            numbered.push('$');
            numbered.push_str(&(number + 1).to_string());
            rest = &after[name.len() + 1..];
        } else {
            numbered.push('{');
            rest = after;
        }
    }
    numbered.push_str(rest);
    numbered
}

#[test]
fn finds_the_texts_of_statements() {
    let file = |name: &str, text: &str| RustFile { name: name.into(), text: text.into() };
    let files = [
        file("a.rs", r#"fn f() { sql!("SELECT {id}, \"b\"", id).rows(conn) }"#),
        file("b.rs", "const A: &str = \"\\\n    SELECT 1 \\\n    AS one\"; fn f() { sql!(A) }"),
        file("c.rs", r#"fn f() { sql!(["SELECT ", b::A, d::B], id = self.id) }"#),
        file("e/f.rs", "const C: &str = \"TABLE c\";"),
        file("e/g.rs", "fn f() { sql!(C) }"),
        file("h/i.rs", "const C: &str = \"TABLE other\";"),
        file("j.rs", "fn f() { sql!(C) }"),
    ];
    let found: Vec<_> = sql_texts(&files).into_iter().map(|it| it.text).collect();

    let expected = [
        Ok("SELECT {id}, \"b\"".to_owned()),
        Ok("SELECT 1 AS one".to_owned()),
        Err("d::B".to_owned()),
        Ok("TABLE c".to_owned()),
        Err("C".to_owned()),
    ];
    assert_eq!(found, expected);
}

#[test]
fn numbers_each_parameter_once() {
    assert_eq!(numbered("SELECT {a}, {b_c}, {a}, '{}'"), "SELECT $1, $2, $1, '{}'");
}
