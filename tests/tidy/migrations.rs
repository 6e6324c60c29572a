//! Rules for migrations after the last release, which change tables in use (`docs/migrations.md`).

use std::fs;

use crate::{
    released_schema::released_migration,
    tree::{assert_none, entries, root},
};

/// Statements that block a table while all of it is read or written, or that break the previous version.
/// `#` stands for a table that is not new.
const REFUSED: [(&[&str], &str); 10] = [
    (&["RENAME"], "the version before knows the old name"),
    (&["ALTER COLUMN", " TYPE "], "the table is written anew"),
    (&["SET NOT NULL"], "the table is read, and the version before may write NULL"),
    (&["CREATE INDEX", " ON #"], "nobody writes meanwhile; CONCURRENTLY lets them"),
    (&["CREATE UNIQUE INDEX", " ON #"], "nobody writes meanwhile; CONCURRENTLY lets them"),
    (&["ALTER TABLE #", "ADD CONSTRAINT"], "the table is read; NOT VALID does not"),
    (&["ALTER TABLE #", "ADD CHECK"], "the table is read; NOT VALID does not"),
    (&["LOCK TABLE"], "everybody waits until the migration ends"),
    (&["UPDATE #"], "rows are locked until the migration ends; let the service do it in batches"),
    (
        &["DELETE FROM #"],
        "rows are locked until the migration ends; let the service do it in batches",
    ),
];
/// Clauses that make a statement allowed.
const MILD: [&str; 2] = ["NOT VALID", "CONCURRENTLY"];

#[test]
fn new_migrations_block_no_table_in_use() {
    let released = released_migration();
    let mut broken = Vec::new();
    for folder in entries("migrations") {
        let version = folder.split('_').next().unwrap_or_default().replace('-', "");
        if version > released {
            let text = fs::read_to_string(root().join("migrations").join(&folder).join("up.sql"));
            broken.extend(blocking(&text.unwrap()).map(|what| format!("{folder}: {what}")));
        }
    }
    assert_none(&broken, "instances of the version before go on while a migration runs");
}

#[test]
fn finds_statements_that_block_a_table() {
    for text in [
        "ALTER TABLE a RENAME COLUMN b TO c;",
        "alter table a\n  alter column b type bigint;",
        "ALTER TABLE a ALTER b SET NOT NULL;",
        "CREATE INDEX a_b ON a (b);",
        "CREATE UNIQUE INDEX a_b ON a (b);",
        "ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0);",
        "ALTER TABLE a ADD CHECK (b > 0);",
        "LOCK TABLE a;",
        "UPDATE a SET b = 1;",
        "SELECT 1; DELETE FROM a; SELECT 2;",
    ] {
        assert_eq!(blocking(text).count(), 1, "{text}");
    }
    for text in [
        "ALTER TABLE a ADD COLUMN b integer NOT NULL DEFAULT 0;",
        "ALTER TABLE a ADD CHECK (b > 0) NOT VALID;",
        "CREATE INDEX CONCURRENTLY a_b ON a (b);",
        "CREATE TABLE a (b integer); CREATE INDEX a_b ON a (b); UPDATE a SET b = 1;",
        "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM a; UPDATE a SET b = 1 $$;",
        "-- UPDATE a SET b = 1;\nSELECT 'UPDATED';",
    ] {
        assert_eq!(blocking(text).collect::<Vec<_>>(), [""; 0], "{text}");
    }
}

/// Returns the forbidden statements of a migration, each with the reason.
fn blocking(text: &str) -> impl Iterator<Item = String> {
    let statements = statements(text);
    let made: Vec<_> = statements
        .iter()
        .filter_map(|it| it.strip_prefix("CREATE TABLE "))
        .map(first_word)
        .collect();
    let mut found = Vec::new();
    for statement in &statements {
        let is_refused = |signs: &[&str]| {
            signs.iter().all(|sign| match sign.strip_suffix('#') {
                Some(" ON ") => {
                    let on = statement.split_once(" ON ");
                    on.is_some_and(|(_, rest)| !made.contains(&first_word(rest)))
                }
                Some(begin) => {
                    let table = statement.strip_prefix(begin).map(first_word);
                    table.is_some_and(|table| !made.contains(&table))
                }
                None => statement.contains(sign),
            })
        };
        if MILD.iter().any(|sign| statement.contains(sign)) {
            continue;
        }
        let reason = REFUSED.iter().find(|(signs, _)| is_refused(signs));
        found.extend(reason.map(|(_, reason)| format!("{statement}: {reason}")));
    }
    found.into_iter()
}

fn first_word(text: &str) -> String {
    text.trim_start_matches("ONLY ")
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Returns the statements of a text in upper case, without comments and function bodies.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ").to_uppercase();
    let outside: String = text.split("$$").step_by(2).collect();
    let words = |statement: &str| statement.split_whitespace().collect::<Vec<_>>().join(" ");
    outside.split(';').map(words).filter(|statement| !statement.is_empty()).collect()
}
