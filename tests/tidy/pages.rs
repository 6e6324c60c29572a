//! Generated parts of pages: they say what the code says. `just pages` writes them.

mod commands;
mod diagram;
mod errors;
mod markdown;
mod marked;
mod settings;
mod states;
mod tables;

use std::{env, fs, path::PathBuf};

use self::marked::{Marked, names_of_marks};
use crate::tree::{assert_none, files, root, shown};

/// Variable with which the test writes the pages instead of comparing them.
const WRITE: &str = "WRITE_PAGES";

/// Part of a page that is made from the code.
struct Generated {
    /// Name in the marks.
    name: &'static str,
    /// Page, as seen from the top.
    page: &'static str,
    text: String,
}

fn generated(name: &'static str, page: &'static str, text: String) -> Generated {
    Generated { name, page, text }
}

/// Returns all parts. A page must have the marks of its parts.
fn all() -> Vec<Generated> {
    let api = adapters_http::openapi();
    vec![
        generated("settings", "docs/configuration.md", settings::settings()),
        generated("commands", "docs/operations/commands.md", commands::commands()),
        generated("metrics", "docs/metrics.md", tables::metrics()),
        generated("error-codes", "docs/errors.md", errors::error_codes(api)),
        generated("failure-codes", "docs/errors.md", errors::failure_codes(api)),
        generated("webhook-events", "docs/webhooks.md", tables::webhook_events(api)),
        generated("rights", "docs/roles.md", tables::rights()),
        generated("provider-kinds", "docs/operations/providers.md", app::provider_kinds::table()),
        generated("doctor-codes", "docs/operations/doctor.md", tables::doctor_codes()),
        generated("message-states", "docs/delivery.md", states::of_messages()),
        generated("campaign-states", "docs/guide/campaigns.md", states::of_campaigns()),
        generated("webhook-delivery-states", "docs/webhooks.md", states::of_webhook_deliveries()),
        generated("approval-states", "docs/guide/texts.md", states::of_approvals()),
    ]
}

#[test]
fn pages_are_as_the_code_says() {
    let is_to_write = env::var_os(WRITE).is_some();
    let mut broken = Vec::new();
    for Generated { name, page, text } in all() {
        let path = root().join(page);
        let present = fs::read_to_string(&path).unwrap_or_default();
        let Some(marked) = Marked::find(&present, name) else {
            broken.push(format!("{page}: no marks of the part {name}"));
            continue;
        };
        if is_to_write {
            let written = fs::write(&path, marked.with(&text));
            broken.extend(written.err().map(|error| format!("{page}: {error}")));
        } else {
            let difference = marked.difference(&text);
            broken.extend(difference.map(|difference| format!("{page}:{difference}")));
        }
    }
    assert_none(&broken, "pages say what the code says; `just pages` writes the parts that differ");
}

#[test]
fn every_mark_of_a_page_names_a_part_that_is_generated() {
    let known = all();
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let pages = files(&root().join("docs")).into_iter().filter(is_page);
    let mut broken = Vec::new();
    for path in pages {
        let (page, text) = (shown(&path), fs::read_to_string(&path).unwrap_or_default());
        for name in names_of_marks(&text) {
            if !known.iter().any(|part| part.name == name && part.page == page) {
                broken.push(format!("{page}: {name}"));
            }
        }
    }
    assert_none(&broken, "marks stand where tests/tidy/pages.rs generates something");
}
