//! Kinds of providers, as the operator declares them: `docs/operations/providers.md` and
//! `atumpan providers kinds` show the same table.

use std::fmt::Write;

use adapters_providers::Kind;
use domain::shared::channel::Channel;
use serde_json::{Value, json};

const HEAD: &str = "\
| kind | channels | credentials | options | `base_url` | callbacks |
|---|---|---|---|---|---|
";

/// Returns the table in Markdown.
pub fn table() -> String {
    let mut table = HEAD.to_owned();
    for kind in Kind::all() {
        let cells = [channels(kind), credentials(kind), coded(kind.options()), base_url(kind)];
        // Writing to a text does not fail.
        let _ = writeln!(table, "| `{kind}` | {} | {} |", cells.join(" | "), kind.callbacks());
    }
    table
}

/// Returns the table for programs.
pub(crate) fn json() -> Value {
    let row = |kind: Kind| {
        json!({
            "kind": kind.as_str(),
            "channels": kind.channels().iter().map(|it| it.as_str()).collect::<Vec<_>>(),
            "requiredCredentials": kind.required_credentials(),
            "optionalCredentials": kind.optional_credentials(),
            "options": kind.options(),
            "baseUrl": kind.usual_url(),
            "needsBaseUrl": kind.needs_base_url(),
            "callbacks": kind.callbacks(),
            "reconcileAfterSeconds": kind.report_timeout(),
        })
    };
    Kind::all().map(row).collect()
}

fn channels(kind: Kind) -> String {
    if kind.channels().len() == Channel::ALL.len() {
        return "any".to_owned();
    }
    kind.channels().iter().map(|channel| channel.as_str()).collect::<Vec<_>>().join(", ")
}

fn credentials(kind: Kind) -> String {
    let optional = kind.optional_credentials();
    let optional = optional.iter().map(|name| format!("`{name}` (optional)"));
    let required = kind.required_credentials().iter().map(|name| format!("`{name}`"));
    required.chain(optional).collect::<Vec<_>>().join(", ")
}

fn coded(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn base_url(kind: Kind) -> String {
    match kind.usual_url() {
        Some(url) => format!("`{url}`"),
        None if kind.needs_base_url() => "required".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_the_table_for_programs() {
        let json = json();
        let kinds: Vec<_> = json.as_array().unwrap().iter().map(|row| &row["kind"]).collect();
        assert_eq!(kinds, Kind::all().map(Kind::as_str).collect::<Vec<_>>());
    }
}
