//! Addresses that are measured: each page of the dashboard, and lists as people narrow them.

use std::error::Error;

use super::items::{Items, text};
use crate::harness::Database;

/// Ends of the paths of files, which are no pages.
const FILES: [&str; 2] = ["/file", "/errors"];
/// Pages that are opened by a mailed link, whose token is checked only when the form is sent.
const MAILED: [&str; 3] = ["/app/verify", "/app/reset", "/app/join"];
/// Lists narrowed by filters, found by a search, and read on from their middle.
const QUERIES: [&str; 20] = [
    "/app/messages?recipient=0240000001",
    "/app/messages?recipient=0240000002",
    "/app/messages?status=FAILED",
    "/app/messages?reason=UNDELIVERED",
    "/app/messages?channel=EMAIL",
    "/app/messages?from={day}&to={day}",
    "/app/messages?status=FAILED&channel=EMAIL&from={day}&to={day}",
    "/app/messages?campaign={campaign}",
    "/app/messages?after={message}",
    "/app/messages?status=FAILED&after={message}",
    "/app/contacts?search=quartey",
    "/app/contacts?search=nobody",
    "/app/contacts?search=02400001",
    "/app/contacts?tag=VIP",
    "/app/contacts?after={contact}",
    "/app/segments/{id}?after={contact}",
    "/app/campaigns/{id}/recipients?outcome=FAILED",
    "/app/campaigns/{id}/recipients?outcome=SKIPPED",
    "/app/campaigns/{id}/recipients?after=m-{recipient}",
    "/app/suppressions?search=02400001",
];

/// Page that is measured.
pub(super) struct Page {
    /// Address with parameters in braces.
    pub(super) name: String,
    /// Address with values.
    pub(super) address: String,
}

/// Returns all pages. Fails if the dashboard has a page for which there is no item.
pub(super) async fn pages(database: &Database, items: &Items) -> Result<Vec<Page>, Box<dyn Error>> {
    let values = values(database, &items.campaign).await?;
    let mut pages = Vec::new();
    for name in paths().chain(QUERIES.map(str::to_owned)) {
        let mut address = match name.split_once('?') {
            Some((path, query)) => format!("{}?{query}", items.address(path)?),
            None => items.address(&name)?,
        };
        for (parameter, value) in &values {
            address = address.replace(parameter, value);
        }
        pages.push(Page { name, address });
    }
    Ok(pages)
}

/// Returns the paths of all pages.
fn paths() -> impl Iterator<Item = String> {
    let pages = adapters_dashboard::routes().into_iter().filter(|(method, _)| *method == "GET");
    let pages = pages.filter(|(_, path)| !FILES.iter().any(|end| path.ends_with(end)));
    pages.map(|(_, path)| {
        let query = if MAILED.contains(&path) { "?token=mailed" } else { "" };
        format!("{path}{query}")
    })
}

/// Returns the parameters of queries, with their values: a day, and the middle of each list.
async fn values(
    database: &Database,
    campaign: &str,
) -> Result<[(&'static str, String); 5], Box<dyn Error>> {
    let recipient = MIDDLE_RECIPIENT.replace("$campaign", campaign);
    Ok([
        ("{day}", text(database, "SELECT (now() - interval '10 days')::date::text").await?),
        ("{campaign}", campaign.to_owned()),
        ("{message}", text(database, MIDDLE_MESSAGE).await?),
        ("{contact}", text(database, MIDDLE_CONTACT).await?),
        ("{recipient}", text(database, &recipient).await?),
    ])
}

/// Messages are of the last thirty days, evenly.
const MIDDLE_MESSAGE: &str = "\
    SELECT id::text FROM delivery_logs WHERE id >= uuid_floor(now() - interval '15 days') \
    ORDER BY id LIMIT 1";

/// Contacts were added in the thirty days before.
const MIDDLE_CONTACT: &str = "\
    SELECT id::text FROM contacts WHERE id >= uuid_floor(now() - interval '45 days') \
    ORDER BY organization_id, id LIMIT 1";

const MIDDLE_RECIPIENT: &str = "\
    SELECT id::text FROM delivery_logs WHERE campaign_id = '$campaign' ORDER BY id \
    OFFSET (SELECT sum(messages)::bigint / 2 FROM campaign_counts WHERE campaign_id = '$campaign') \
    LIMIT 1";
