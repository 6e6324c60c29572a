//! Rule that every later schema has what the last release reads and writes, so that two versions can serve
//! the same database (`docs/migrations.md`). `docs/released-schema.txt` lists what that release names.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::{collections::BTreeSet, fs};

use acceptance::{database_url, fresh_database_url};
use tokio_postgres::Client;

use crate::{
    table_classes::connect,
    tokens::{tokens_and_literals, without_tests},
    tree::{assert_none, root, rust_files},
};

const RECORD: &str = "docs/released-schema.txt";
const ADAPTER: &str = "crates/adapters-postgres/src/";

/// One line for each thing that statements depend on: `column t.c type`, `default t.c`, `unique t (c)`, ….
type Lines = BTreeSet<String>;

#[tokio::test]
async fn every_schema_supports_the_last_release() {
    let released = recorded();
    assert!(released.len() > 500, "{RECORD} has {} lines", released.len());
    let present = schema(&connect(&database_url().await).await).await;
    assert_none(&broken(&released, &present), "a migration adds; see docs/migrations.md");
}

#[tokio::test]
async fn names_each_change_that_breaks_the_last_release() {
    let client = connect(&fresh_database_url().await).await;
    client.batch_execute(BEFORE).await.unwrap();
    let released = schema(&client).await;
    client.batch_execute(ALLOWED).await.unwrap();
    assert_eq!(broken(&released, &schema(&client).await), [""; 0]);

    client.batch_execute(REFUSED).await.unwrap();

    let expected = [
        "is gone or changed: column a.renamed text",
        "is gone or changed: column a.dropped text",
        "is gone or changed: column a.retyped integer",
        "is gone or changed: column a.nullable integer",
        "is gone or changed: column b.id integer not null",
        "is gone or changed: default a.filled",
        "is gone or changed: function doubled(n integer) returns integer",
        "is gone or changed: index a USING btree (retyped)",
        "is gone or changed: index b USING btree (id)",
        "is gone or changed: unique a USING btree (nullable)",
        "is gone or changed: unique b USING btree (id)",
        "has no default, and is not written: column a.demanded integer not null",
        "may refuse what is written: constraint a CHECK ((id > 0)) NOT VALID",
        "may refuse what is written: unique a USING btree (filled)",
    ];
    let found = broken(&released, &schema(&client).await);
    assert_eq!(BTreeSet::from_iter(found), expected.map(str::to_owned).into());
}

/// `just release-schema` stores the printed lines at each release.
#[tokio::test]
async fn only_schema_used_by_the_code_is_recorded() {
    let client = connect(&database_url().await).await;
    let record = record(&client).await;
    assert!(record.contains("\ncolumn delivery_logs.status text not null\n"));
    assert!(record.contains("\nfunction drop_oldest_month("));
    assert!(!record.contains("\nfunction drop_months("));
    println!();
    record.lines().for_each(|line| println!("record: {line}"));
}

/// Returns the newest migration of the last release.
pub(crate) fn released_migration() -> String {
    let lines = fs::read_to_string(root().join(RECORD)).unwrap();
    lines.lines().next().unwrap().strip_prefix("migration ").unwrap().to_owned()
}

fn recorded() -> Lines {
    let text = fs::read_to_string(root().join(RECORD)).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Returns the changes that break an instance of the last release.
fn broken(released: &Lines, present: &Lines) -> Vec<String> {
    let mut broken: Vec<_> =
        released.difference(present).map(|line| format!("is gone or changed: {line}")).collect();
    let known: BTreeSet<_> = released.iter().filter_map(|line| subject(line)).collect();
    for line in present.difference(released) {
        let Some((table, column)) = subject(line) else { continue };
        if !known.iter().any(|(known, _)| *known == table) {
            continue;
        }
        let kind = line.split(' ').next().unwrap_or_default();
        let is_new = !known.contains(&(table, column));
        let has_default =
            || present.contains(&format!("default {table}.{}", column.unwrap_or_default()));
        let names_known = || {
            let mut words = line.split(is_no_part_of_word);
            words.any(|word| known.contains(&(table, Some(word))))
        };
        match kind {
            "column" if is_new && line.ends_with(" not null") && !has_default() => {
                broken.push(format!("has no default, and is not written: {line}"));
            }
            "unique" | "constraint" if names_known() => {
                broken.push(format!("may refuse what is written: {line}"));
            }
            _ => {}
        }
    }
    broken
}

/// Returns the table of a line, and the column if it is about one; `None` for functions.
fn subject(line: &str) -> Option<(&str, Option<&str>)> {
    let (kind, rest) = line.split_once(' ')?;
    let subject = rest.split(' ').next()?;
    match kind {
        "function" => None,
        "column" | "default" => {
            subject.split_once('.').map(|(table, column)| (table, Some(column)))
        }
        _ => Some((subject, None)),
    }
}

async fn record(client: &Client) -> String {
    let named = words(client).await;
    let mut lines = schema(client).await;
    lines.retain(|line| is_named(line, &named));
    let newest = "SELECT max(version) FROM __diesel_schema_migrations";
    let newest: String = client.query_one(newest, &[]).await.unwrap().get(0);
    let lines: Vec<_> = lines.into_iter().collect();
    format!("migration {newest}\n{}\n", lines.join("\n"))
}

fn is_named(line: &str, words: &BTreeSet<String>) -> bool {
    match (subject(line), line.strip_prefix("function ")) {
        (Some((table, column)), _) => {
            words.contains(table) && column.is_none_or(|column| words.contains(column))
        }
        (None, Some(function)) => words.contains(function.split('(').next().unwrap_or_default()),
        (None, None) => true,
    }
}

/// Returns all words of the code of `adapters-postgres`, and of the functions, views and triggers.
async fn words(client: &Client) -> BTreeSet<String> {
    let mut texts = Vec::new();
    for file in rust_files().iter().filter(|file| file.name.starts_with(ADAPTER)) {
        let tokens = tokens_and_literals(&file.text);
        texts.extend(without_tests(&tokens).iter().map(|token| token.text.to_owned()));
    }
    let rows = client.query(BODIES, &[]).await.unwrap();
    texts.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    let words = texts.iter().flat_map(|text| text.split(is_no_part_of_word));
    words.map(str::to_owned).collect()
}

fn is_no_part_of_word(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '_'
}

async fn schema(client: &Client) -> Lines {
    let rows = client.query(SCHEMA, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// Lines of the schema. A comment marks an unused index one release before it is dropped.
const SCHEMA: &str = "\
    WITH relations AS ( \
        SELECT oid, relname FROM pg_class \
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') \
            AND NOT relispartition AND relname <> '__diesel_schema_migrations' \
    ) \
    SELECT trim(regexp_replace(line, '\\s+', ' ', 'g')) FROM ( \
    SELECT 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) \
        || CASE WHEN attnotnull THEN ' not null' ELSE '' END AS line \
    FROM relations JOIN pg_attribute ON attrelid = relations.oid WHERE attnum > 0 AND NOT attisdropped \
    UNION ALL \
    SELECT 'default ' || relname || '.' || attname \
    FROM relations JOIN pg_attribute ON attrelid = relations.oid WHERE atthasdef AND NOT attisdropped \
    UNION ALL \
    SELECT CASE WHEN indisunique THEN 'unique ' ELSE 'index ' END || relname \
        || regexp_replace(pg_get_indexdef(indexrelid), '^.*? (?=USING )', ' ') \
    FROM relations JOIN pg_index ON indrelid = relations.oid \
    WHERE coalesce(obj_description(indexrelid, 'pg_class'), '') <> 'unused' \
    UNION ALL \
    SELECT 'constraint ' || relname || ' ' || pg_get_constraintdef(pg_constraint.oid) \
    FROM relations JOIN pg_constraint ON conrelid = relations.oid WHERE contype IN ('c', 'f', 'x') \
    UNION ALL \
    SELECT 'function ' || proname || '(' || pg_get_function_identity_arguments(oid) || ') returns ' \
        || coalesce(pg_get_function_result(oid), '') \
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace \
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') \
    ) AS lines";

const BODIES: &str = "\
    SELECT coalesce(pg_get_function_sqlbody(oid), prosrc) FROM pg_proc \
    WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' \
    UNION ALL \
    SELECT definition FROM pg_views WHERE schemaname = 'public' \
    UNION ALL \
    SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal";

const BEFORE: &str = "\
    CREATE TABLE a (id integer PRIMARY KEY, renamed text, dropped text, retyped integer, \
        nullable integer UNIQUE, filled integer NOT NULL DEFAULT 1); \
    CREATE INDEX a_retyped ON a (retyped); \
    CREATE INDEX a_unused ON a (renamed); \
    COMMENT ON INDEX a_unused IS 'unused'; \
    CREATE TABLE b (id integer PRIMARY KEY); \
    CREATE INDEX b_id ON b (id); \
    CREATE FUNCTION doubled(n integer) RETURNS integer LANGUAGE sql AS 'SELECT 2 * n'";

const ALLOWED: &str = "\
    ALTER TABLE a ADD COLUMN added integer UNIQUE, ADD COLUMN given integer NOT NULL DEFAULT 3, \
        ADD CHECK (given > 0), ALTER COLUMN retyped SET DEFAULT 7; \
    CREATE INDEX a_added ON a (added); \
    DROP INDEX a_unused; \
    CREATE TABLE c (id integer NOT NULL UNIQUE CHECK (id > 0)); \
    CREATE OR REPLACE FUNCTION doubled(n integer) RETURNS integer LANGUAGE sql AS 'SELECT n + n'; \
    CREATE FUNCTION tripled(n integer) RETURNS integer LANGUAGE sql AS 'SELECT 3 * n'";

const REFUSED: &str = "\
    ALTER TABLE a RENAME COLUMN renamed TO named; \
    ALTER TABLE a DROP COLUMN dropped, ALTER COLUMN retyped TYPE bigint, \
        ALTER COLUMN nullable SET NOT NULL, DROP CONSTRAINT a_nullable_key, \
        ALTER COLUMN filled DROP DEFAULT, ADD COLUMN demanded integer NOT NULL, \
        ADD CHECK (id > 0) NOT VALID, ADD UNIQUE (filled); \
    DROP INDEX a_retyped; \
    DROP TABLE b; \
    DROP FUNCTION doubled(integer)";
