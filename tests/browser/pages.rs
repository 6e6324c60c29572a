//! Addresses of all pages, from the routes of the dashboard.

use acceptance::{Tenant, unique_email};
use serde_json::json;

use crate::{population::Population, stage::Stage};

/// Pages for people who are not signed in.
const SIGNED_OUT: [&str; 3] = ["/app/sign-in", "/app/register", "/app/forgot"];
/// Pages that are opened by a mailed link.
const MAILED: [&str; 3] = ["/app/verify", "/app/reset", "/app/join"];
/// Parts of the paths of files, which are no pages.
const FILES: [&str; 4] = ["/assets/", "/file", "/export", ".csv"];
/// Lists of exports, which are pages.
const EXPORTS: &str = "/app/messages/exports";
/// Queries that show a page in another state: narrowed, without anything to show, or of another kind.
const QUERIES: [&str; 7] = [
    "/app/messages?status=FAILED",
    "/app/messages?recipient=0209999999",
    "/app/contacts?search=nobody",
    "/app/send?to=several",
    "/app/send?to=myself",
    "/app/requests?request=unknown",
    "/app/admin/payment-exceptions?resolved=yes",
];

/// Returns the addresses of all pages for people who are not signed in.
pub(crate) async fn addresses_signed_out(stage: &Stage, tenant: &Tenant<'_>) -> Vec<String> {
    let ask = json!({"email": tenant.email});
    stage.world.post("/auth/forgot-password", ask).await.data(200);
    let guest = unique_email("guest");
    let invitation = json!({"email": guest, "role": "VIEWER"});
    tenant.owner().post("/organizations/invitations", invitation).await.data(201);
    let mut found = SIGNED_OUT.map(str::to_owned).to_vec();
    for (recipient, path) in [&tenant.email, &tenant.email, &guest].into_iter().zip(MAILED) {
        found.push(stage.mailed_link(recipient, path).await);
    }
    found
}

/// Returns the addresses of all pages for a platform administrator who owns an organization, with items of
/// both.
pub(crate) fn addresses(population: &Population) -> Vec<String> {
    let mut found: Vec<_> = templates().iter().map(|it| population.address(it)).collect();
    found.extend(QUERIES.map(str::to_owned));
    found.push(format!("/app/messages/{}", population.failed_message));
    found.push(format!("/app/messages/{}", population.scheduled_message));
    found.push(format!("/app/campaigns/{}", population.draft));
    found
}

/// Returns the paths of pages, with parameters in braces.
fn templates() -> Vec<&'static str> {
    let routes = adapters_dashboard::routes().into_iter();
    let pages = routes.filter(|(method, path)| *method == "GET" && !is_file(path));
    let paths = pages.map(|(_, path)| path);
    paths.filter(|path| !SIGNED_OUT.contains(path) && !MAILED.contains(path)).collect()
}

fn is_file(path: &str) -> bool {
    let path = path.strip_prefix(EXPORTS).unwrap_or(path);
    FILES.iter().any(|part| path.contains(part))
}
