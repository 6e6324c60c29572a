//! Addresses that are measured: each page of the dashboard, and lists as people narrow them.

use std::error::Error;

use super::items::{Items, text};
use crate::harness::Database;

/// Ends of the paths of files, which are no pages.
const FILES: [&str; 2] = ["/file", "/errors"];
/// Pages that are opened by a mailed link, whose token is checked only when the form is sent.
const MAILED: [&str; 3] = ["/app/verify", "/app/reset", "/app/join"];
/// Lists narrowed by filters, found by a search, and read on from their middle.
const QUERIES: [&str; 49] = [
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
    "/app/billing?page={ledger page}",
    "/app/billing/top-ups?status=CREDITED",
    "/app/billing/top-ups?status=FAILED",
    "/app/billing/top-ups?page=10",
    "/app/billing/invoices?page=10",
    "/app/team/audit?page={own acts page}",
    "/app/requests?status=402",
    "/app/requests?key={key}",
    "/app/requests?status=402&key={key}",
    "/app/requests?request=request-7",
    "/app/requests?after={call}",
    "/app/webhooks/{id}?status=FAILED",
    "/app/webhooks/{id}?status=DELIVERED",
    "/app/webhooks/{id}?status=PENDING",
    "/app/webhooks/{id}?page=10",
    "/app/admin/tenants?search=nte%207",
    "/app/admin/tenants?search=nobody",
    "/app/admin/tenants?status=suspended",
    "/app/admin/tenants?status=others",
    "/app/admin/tenants?page={tenants page}",
    "/app/admin/audit?page={acts page}",
    "/app/admin/audit?from={day}&to={day}",
    "/app/admin/audit?organization={organization}",
    "/app/admin/audit?organization={organization}&action=invitation.created",
    "/app/admin/audit?action=invitation.created",
    "/app/admin/audit?actor={administrator}",
    "/app/admin/pricing?organizationId={organization}",
    "/app/admin/pricing?active=no",
    "/app/admin/payment-exceptions?resolved=yes",
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
    let values = values(database, items).await?;
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

/// Returns the parameters of addresses, with their values.
async fn values(
    database: &Database,
    items: &Items,
) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    let Items { campaign, organization, .. } = items;
    let mut values =
        vec![("{campaign}", campaign.clone()), ("{organization}", organization.clone())];
    for (parameter, query) in VALUES {
        let query = query.replace("$campaign", campaign).replace("$organization", organization);
        values.push((parameter, text(database, &query).await?));
    }
    Ok(values)
}

/// Parameters with the queries of their values: a day, the middle of each list, and single items.
const VALUES: [(&str, &str); 12] = [
    ("{day}", "SELECT (now() - interval '10 days')::date::text"),
    ("{message}", MIDDLE_MESSAGE),
    ("{contact}", MIDDLE_CONTACT),
    ("{recipient}", MIDDLE_RECIPIENT),
    ("{call}", MIDDLE_CALL),
    ("{ledger page}", MIDDLE_OF_LEDGER),
    ("{own acts page}", MIDDLE_OF_OWN_ACTS),
    ("{acts page}", MIDDLE_OF_ACTS),
    ("{tenants page}", MIDDLE_OF_TENANTS),
    ("{delivery}", NEWEST_DELIVERY),
    ("{key}", SENDING_KEY),
    ("{administrator}", "SELECT id::text FROM users WHERE platform_role IS NOT NULL"),
];

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

/// Calls were refused in the last six days.
const MIDDLE_CALL: &str = "\
    SELECT call_id::text FROM refused_calls \
    WHERE organization_id = '$organization' AND call_id >= uuid_floor(now() - interval '3 days') \
    ORDER BY call_id LIMIT 1";

/// A page has 25 movements.
const MIDDLE_OF_LEDGER: &str = "\
    SELECT greatest(sequence / 2 / 25, 1)::text FROM ledger_heads \
    WHERE organization_id = '$organization'";

/// A page has 50 acts.
const MIDDLE_OF_OWN_ACTS: &str = "\
    SELECT greatest(sequence / 2 / 50, 1)::text FROM audit_heads \
    WHERE organization_id = '$organization'";

/// A page has 25 acts of all organizations, and no page goes beyond ten thousand of them.
const MIDDLE_OF_ACTS: &str = "\
    SELECT greatest(least(sum(sequence), 10000)::bigint / 2 / 25, 1)::text FROM audit_heads";

/// A page has 50 organizations.
const MIDDLE_OF_TENANTS: &str = "\
    SELECT greatest(organizations / 2 / 50, 1)::text FROM organization_totals";

const NEWEST_DELIVERY: &str = "\
    SELECT id::text FROM webhook_deliveries WHERE organization_id = '$organization' \
    ORDER BY id DESC LIMIT 1";

const SENDING_KEY: &str = "\
    SELECT id::text FROM api_keys WHERE organization_id = '$organization' AND name = 'live'";
