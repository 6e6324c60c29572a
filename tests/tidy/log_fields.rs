//! Rule for the names of fields in log lines.

use crate::tree::{assert_none, rust_files};

/// Fields that every line has. In JSON a second field of the same name would make programs ignore
/// one of the two, or reject the line.
const RESERVED: [&str; 5] = ["level", "message", "spans", "target", "timestamp"];
/// Attribute whose arguments are fields, besides the macros of `tracing`.
const ATTRIBUTE: &str = concat!("fields", "(");
const CRATE: &str = concat!("tracing", "::");

#[test]
fn no_log_field_has_a_reserved_name() {
    let mut broken = Vec::new();
    for file in rust_files() {
        for arguments in field_lists(&file.text) {
            for name in reserved_fields(arguments) {
                broken.push(format!("{}: {name} in ({})", file.name, arguments.trim()));
            }
        }
    }
    assert_none(&broken, "a field of a log line has a name of its own, such as message_id");
}

#[test]
fn finds_reserved_fields_in_every_notation() {
    let count = |arguments: &str| {
        let code = format!("{CRATE}warn!({arguments});");
        field_lists(&code).flat_map(reserved_fields).count()
    };

    for arguments in [
        "message = %id, \"text\"",
        "%error, message = 1, \"text\"",
        "?message, \"text\"",
        "message, \"text\"",
        "name = f(a, \"(\"), level = 1, \"text\"",
    ] {
        assert_eq!(count(arguments), 1, "{arguments}");
    }
    for arguments in ["message_id = %message.id, \"message = 1, level\"", "a == message, \"text\""]
    {
        assert_eq!(count(arguments), 0, "{arguments}");
    }
}

/// Returns the arguments of each event, span and `fields(…)`.
fn field_lists(text: &str) -> impl Iterator<Item = &str> {
    let attributes = text.match_indices(ATTRIBUTE).map(|(at, found)| &text[at + found.len()..]);
    let macros = text.match_indices(CRATE).filter_map(|(at, found)| {
        let (name, arguments) = text[at + found.len()..].split_once("!(")?;
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        is_name.then_some(arguments)
    });
    attributes.chain(macros).map(until_closed)
}

/// Returns the beginning of a text, up to the closing parenthesis.
fn until_closed(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter, is_text) in letters(text) {
        match letter {
            _ if is_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return &text[..at],
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

fn reserved_fields(arguments: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let (mut depth, mut began) = (0, 0);
    let end = [(arguments.len(), ',', false)];
    for (at, letter, is_text) in letters(arguments).chain(end) {
        match letter {
            _ if is_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                fields.push(&arguments[began..at]);
                began = at + 1;
            }
            _ => {}
        }
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    let reserved = |field: &&str| {
        let field = field.trim().trim_start_matches(['%', '?']);
        let (name, value) = field.split_at(field.find(|it| !is_name(it)).unwrap_or(field.len()));
        let value = value.trim_start();
        let is_field = value.is_empty() || value.starts_with('=') && !value.starts_with("==");
        is_field && RESERVED.contains(&name)
    };
    fields.into_iter().filter(reserved).map(str::trim).collect()
}

/// Returns the characters of code with their offsets; true marks those in a string literal.
fn letters(code: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let (mut is_text, mut is_escaped) = (false, false);
    code.char_indices().map(move |(at, letter)| {
        let was_text = is_text;
        if is_escaped {
            is_escaped = false;
        } else if is_text && letter == '\\' {
            is_escaped = true;
        } else if letter == '"' {
            is_text = !is_text;
        }
        (at, letter, was_text || is_text)
    })
}
