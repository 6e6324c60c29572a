//! Rule that no statement of `adapters-postgres` names tables of both classes.

use std::collections::BTreeMap;

use crate::{
    sql_texts::MACROS,
    table_classes::{self, GLOBAL, TENANT, Tables},
    tokens::{Token, end_of_item, tokens_and_literals, without_tests},
    tree::{RustFile, assert_none, rust_files},
};

const ADAPTER: &str = "crates/adapters-postgres/src/";
/// Words that make a text a statement.
const VERBS: [&str; 4] = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM "];

/// Text of a statement, and its place.
struct Statement {
    place: String,
    text: String,
}

#[tokio::test]
async fn no_statement_mixes_tenant_and_global_tables() {
    let mut files = rust_files();
    files.retain(|file| file.name.starts_with(ADAPTER));
    let mut statements = statements(&files);
    for (name, text) in table_classes::functions().await {
        statements.push(Statement { place: format!("the function {name}"), text });
    }
    let broken = mixed(&statements, &table_classes::tables().await);
    assert_none(&broken, "what belongs to organizations may be on another server");
}

#[test]
fn finds_statements_that_mix_classes_in_every_notation() {
    let tables = [("wallets", TENANT), ("keys", TENANT), ("users", GLOBAL), ("plans", GLOBAL)];
    let tables = tables.map(|(name, class)| (name.to_owned(), [class.to_owned()].into())).into();
    let file = |name: &str, text: &str| RustFile { name: name.into(), text: text.into() };
    let count = |text: &str| {
        let other = file("b.rs", r#"pub(super) const MOVE: &str = "UPDATE users SET";"#);
        mixed(&statements(&[file("a.rs", text), other]), &tables).len()
    };

    for text in [
        r#"const A: &str = "SELECT FROM users JOIN wallets";"#,
        r#"const A: &[&str] = &["SELECT FROM wallets", "JOIN users"];"#,
        r#"const A: &[&str] = &["SELECT FROM wallets", MOVE];"#,
        r#"const A: &[&str] = &["SELECT FROM wallets", b::MOVE];"#,
        r#"fn f() { sql!(["SELECT FROM wallets", b::MOVE], id = self.id) }"#,
        r#"fn f() { sql_query("DELETE FROM wallets WHERE id IN (SELECT id FROM users)") }"#,
        "joinable!(wallets -> users (user_id));",
        "allow_tables_to_appear_in_same_query!(wallets, keys, users);",
    ] {
        assert_eq!(count(text), 1, "{text}");
    }
    for text in [
        r#"const A: &str = "SELECT FROM users JOIN plans";"#,
        r#"const A: &str = "SELECT FROM wallets"; const B: &str = "SELECT FROM users";"#,
        r#"const A: [(&str, &str); 2] = [("wallets", "SELECT x"), ("users", "SELECT x")];"#,
        r#"const A: &[&str] = &["SELECT FROM wallets", keys]; // JOIN users"#,
        r#"fn f() { warn("SELECT one of the users of wallet {wallets_number}") }"#,
        r#"fn f() { sql!("SELECT FROM wallets WHERE id = ANY({users})", users) }"#,
        "allow_tables_to_appear_in_same_query!(wallets, keys);",
    ] {
        assert_eq!(count(text), 0, "{text}");
    }
}

fn mixed(statements: &[Statement], tables: &Tables) -> Vec<String> {
    let mut broken = Vec::new();
    for Statement { place, text } in statements {
        let text = without_parameters(text);
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let named: BTreeMap<_, _> =
            words.filter_map(|word| Some((word, tables.get(word)?))).collect();
        let of = |class: &str| named.iter().find(|(_, classes)| classes.contains(class));
        if let (Some((tenants, _)), Some((global, _))) = (of(TENANT), of(GLOBAL)) {
            broken.push(format!("{place}: {tenants} with {global}"));
        }
    }
    broken
}

/// Returns a text without the names of its parameters, which may be those of tables.
fn without_parameters(text: &str) -> String {
    let mut pieces = text.split('{');
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = pieces.map(|piece| piece.split_once('}').map_or(piece, |(_, after)| after));
    rest.fold(first, |text, piece| text + " " + piece)
}

fn statements(files: &[RustFile]) -> Vec<Statement> {
    let files: Vec<_> = files
        .iter()
        .map(|file| (file.name.as_str(), without_tests(&tokens_and_literals(&file.text))))
        .collect();
    let constants: Vec<_> =
        files.iter().flat_map(|(file, tokens)| constants(file, tokens)).collect();
    let mut found = Vec::new();
    for (file, tokens) in &files {
        let mut at = 0;
        while at < tokens.len() {
            let end = match tokens[at].text {
                name if MACROS.contains(&name) && begins_item(&tokens[at..]) => {
                    end_of_arguments(tokens, at)
                }
                _ if begins_item(&tokens[at..]) => end_of_item(tokens, at),
                _ => at + 1,
            };
            let place = format!("{file}:{}", tokens[at].line);
            let texts = texts(file, &tokens[at..end], &constants);
            found.extend(texts.into_iter().map(|text| Statement { place: place.clone(), text }));
            at = end;
        }
    }
    found
}

/// Constant with the text of its literals.
struct Constant<'a> {
    file: &'a str,
    name: &'a str,
    text: String,
}

fn constants<'a>(file: &'a str, tokens: &[Token<'a>]) -> Vec<Constant<'a>> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if tokens[at].text == "const" && begins_item(&tokens[at..]) {
            let item = &tokens[at..end_of_item(tokens, at)];
            found.push(Constant { file, name: item[1].text, text: literals(item).join(" ") });
        }
    }
    found
}

/// True if a constant, a statement, or a macro that lets Diesel join tables, begins there.
fn begins_item(tokens: &[Token<'_>]) -> bool {
    let next = tokens.get(1).map_or("", |token| token.text);
    match tokens[0].text {
        name if MACROS.contains(&name) => next == "!",
        "const" => next != "fn" && next != "{",
        "joinable" | "allow_tables_to_appear_in_same_query" => next == "!",
        _ => false,
    }
}

/// Returns the statements of an item or of a single literal. A list of texts is one statement, including
/// the texts of its constants; in any other item each text is one.
fn texts(file: &str, item: &[Token<'_>], constants: &[Constant<'_>]) -> Vec<String> {
    let words = item.iter().filter(|token| token.is_word()).map(|token| token.text);
    let is_macro = item.get(1).is_some_and(|token| token.text == "!");
    let is_statement = MACROS.contains(&item[0].text);
    if is_macro && !is_statement {
        return vec![words.collect::<Vec<_>>().join(" ")];
    }
    let mut texts = literals(item);
    let is_list = is_statement
        || item.windows(4).any(|four| four.iter().map(|it| it.text).eq(["&", "[", "&", "str"]));
    if is_list {
        for word in words.skip(if is_statement { 1 } else { 2 }) {
            let named = constants.iter().filter(|constant| constant.name == word);
            let (own, others): (Vec<_>, Vec<_>) = named.partition(|constant| constant.file == file);
            let meant = if own.is_empty() { others } else { own };
            texts.extend(meant.into_iter().map(|constant| constant.text.as_str()));
        }
        let whole = texts.join(" ");
        return vec![whole];
    }
    texts.retain(|text| VERBS.iter().any(|verb| text.contains(verb)));
    texts.into_iter().map(str::to_owned).collect()
}

/// Returns the end of the arguments of the macro that begins at `start`.
fn end_of_arguments(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn literals<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    tokens.iter().filter(|token| token.is_literal()).map(|token| token.text).collect()
}
