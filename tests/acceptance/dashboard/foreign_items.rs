//! Identifiers of another organization's items in the address of every page and every form.

use acceptance::{Answer, Tenant, World};
use app::clock::SystemClock;
use domain::{messaging::resend::ResendTask, shared::id::Id};
use ports::shared::clock::Clock;
use reqwest::Method;

use crate::{
    dashboard::visitor::{TOKEN, Visitor},
    shared::{possessions::Possessions, settings::with_nobody},
};

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
/// Beginnings of addresses of pages about one item, each with the path of such items in the API.
const ITEMS: [(&str, &str); 16] = [
    ("/app/messages/", "/messages/"),
    ("/app/contacts/", "/contacts/"),
    ("/app/contacts/import/", "/contacts/imports/"),
    ("/app/contacts/imports/", "/contacts/imports/"),
    ("/app/segments/", "/segments/"),
    ("/app/templates/", "/templates/"),
    ("/app/campaigns/", "/campaigns/"),
    ("/app/events/", "/events/"),
    ("/app/suppressions/", "/compliance/suppression/"),
    ("/app/suppressions/import/", "/compliance/suppression/imports/"),
    ("/app/billing/invoices/", "/billing/invoices/"),
    ("/app/team/members/", "/organizations/members/"),
    ("/app/team/invitations/", "/organizations/invitations/"),
    ("/app/settings/sender-names/", "/sender-names/"),
    ("/app/api-keys/", "/api-keys/"),
    ("/app/webhooks/", "/webhook-endpoints/"),
];
/// Exports of the log, which the API does not have.
const EXPORTS: &str = "/app/messages/exports";
/// Files that wait for their columns to be confirmed.
const HELD_FILES: &str = "/app/contacts/import/check";
/// Failed messages that are sent again.
const RESENDS: &str = "/app/resend";
const TOP_UPS: &str = "/app/billing/top-ups";
const SESSIONS: &str = "/app/account/sessions";
/// Beginnings of addresses of what belongs to no organization.
const PLATFORM: [&str; 2] = ["/app/admin/", "/app/providers/"];
/// Addresses that name an item after the question mark.
const QUERIES: [(&str, &str); 5] = [
    ("/app/messages?campaign=", "/campaigns/"),
    ("/app/messages?event=", "/events/"),
    ("/app/send?template=", "/templates/"),
    ("/app/send?contact=", "/contacts/"),
    ("/app/requests?key=", "/api-keys/"),
];

/// Items of an organization, as its owner visits them.
pub(crate) struct Items {
    visitor: Visitor,
    /// Items of the API.
    pub(crate) possessions: Possessions,
    /// Identifier of an export of the log.
    export: String,
    /// Identifier of a file that waits.
    held_file: String,
    /// Identifier of messages that are sent again.
    resend: String,
    /// Reference of a top-up.
    top_up: String,
    /// Identifier of the session.
    session: String,
}

impl Items {
    /// Creates one item of every kind. The user `nobody@example.com` must exist.
    pub(crate) async fn of(world: &World, tenant: &Tenant<'_>) -> Self {
        let possessions = Possessions::of(world, tenant).await;
        let visitor = Visitor::of(tenant);
        let begun = visitor.submit(EXPORTS, &[]).await;
        let address = begun.header("location").strip_prefix(EXPORTS).unwrap_or_default();
        let export = address.trim_start_matches('/').to_owned();
        assert_eq!(export.len(), UNKNOWN.len(), "{:?} {}", begun.headers, begun.text);
        let held = visitor.upload("/app/contacts/import", "phone\n0241234567\n").await;
        let address = held.header("location").strip_prefix(HELD_FILES).unwrap_or_default();
        let held_file = address.trim_start_matches('/').to_owned();
        assert_eq!(held_file.len(), UNKNOWN.len(), "{:?} {}", held.headers, held.text);
        let resend = resend(world, tenant).await;
        let fields = [("amount", "5"), ("method", "card")];
        let begun = visitor.submit("/app/billing/top-up", &fields).await;
        let address = begun.header("location").strip_prefix(TOP_UPS).unwrap_or_default();
        let top_up = address.trim_start_matches('/').to_owned();
        assert!(!top_up.is_empty(), "{:?} {}", begun.headers, begun.text);
        let sessions = tenant.owner().get("/auth/sessions").await;
        let session = sessions.data(200)[0]["id"].as_str().unwrap().to_owned();
        Self { visitor, possessions, export, held_file, resend, top_up, session }
    }

    /// Returns the path with the item of this organization; `None` if it names no item.
    pub(crate) fn address(&self, path: &str) -> Option<String> {
        let (home, rest) = path.split_once('{')?;
        if PLATFORM.iter().any(|beginning| home.starts_with(beginning)) {
            return None;
        }
        let (_, rest) = rest.split_once('}')?;
        let rest = rest.replace("{delivery}", self.possessions.delivery());
        Some(format!("{home}{}{rest}", self.at(home)))
    }

    /// Returns the identifier of the item whose page's address begins so.
    fn at(&self, home: &str) -> &str {
        match home.trim_end_matches('/') {
            EXPORTS => return &self.export,
            HELD_FILES => return &self.held_file,
            RESENDS => return &self.resend,
            TOP_UPS => return &self.top_up,
            SESSIONS => return &self.session,
            _ => {}
        }
        let known = ITEMS.iter().find(|(beginning, _)| *beginning == home);
        let (_, items) = known.unwrap_or_else(|| panic!("{home}: what is there? Add it to ITEMS"));
        self.possessions.at(items)
    }
}

/// Adds messages that are sent again, and returns their identifier.
async fn resend(world: &World, tenant: &Tenant<'_>) -> String {
    let organization = tenant.id.parse().unwrap();
    let id = Id::<ResendTask>::new_in(SystemClock.now(), organization).to_string();
    world
        .sql(&format!(
            "INSERT INTO resend_tasks (organization_id, id, status, messages_since, position, \
                is_sandbox, message_count, is_capped, created_at) \
             VALUES ('{organization}', '{id}', 'QUEUED', '{id}', '{id}', false, 1, false, now())"
        ))
        .await;
    id
}

/// Returns the path with an identifier that nobody has.
pub(crate) fn unknown(path: &str) -> String {
    let part = |part| if str::starts_with(part, '{') { UNKNOWN } else { part };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Returns the status and the text of an answer without what differs in each answer.
fn comparable(answer: &Answer, address: &str) -> (u16, String) {
    let is_identifier = |part: &&str| part.len() == UNKNOWN.len() || part.starts_with("topup-");
    let mut text = answer.text.clone();
    if let Some(identifier) = address.split(['/', '=']).find(is_identifier) {
        text = text.replace(identifier, "…");
    }
    for name in [TOKEN, "once"] {
        text = without_values(&text, name);
    }
    (answer.status, text)
}

/// Returns a page without the values of the hidden fields with that name.
fn without_values(page: &str, name: &str) -> String {
    let begin = format!("name=\"{name}\" value=\"");
    let mut parts = page.split(begin.as_str());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.split_once('"').map_or("", |(_, rest)| rest);
        format!("{text}{begin}{rest}")
    })
}

async fn ask(visitor: &Visitor, method: &Method, address: &str) -> (u16, String) {
    let answer = if *method == Method::POST {
        visitor.submit(address, &[]).await
    } else {
        visitor.get(address).await
    };
    comparable(&answer, address)
}

#[tokio::test]
async fn the_items_of_others_are_found_at_no_address() {
    let world = with_nobody().await;
    let (attacker, victim) = (world.tenant().await, world.tenant().await);
    let own = Items::of(&world, &attacker).await;
    let theirs = Items::of(&world, &victim).await;
    let before = theirs.possessions.read(&victim).await;
    let visitor = &own.visitor;

    let mut tried = 0;
    // The items of the platform belong to no organization.
    let routes = adapters_dashboard::routes().into_iter();
    for (method, path) in routes.filter(|(_, path)| !path.starts_with("/app/admin/")) {
        let method: Method = method.parse().unwrap();
        let Some(address) = theirs.address(path) else { continue };
        let answer = ask(visitor, &method, &address).await;
        assert_eq!(answer, ask(visitor, &method, &unknown(path)).await, "{method} {address}");
        // A form may be refused before anything is looked up. A file that waits no more leads back to the
        // place where files are uploaded.
        let statuses: &[u16] = match method {
            _ if path.starts_with(HELD_FILES) => &[303],
            Method::POST => &[400, 404],
            _ => &[404],
        };
        assert!(statuses.contains(&answer.0), "{method} {address}: {answer:?}");
        if method == Method::GET {
            let address = own.address(path).unwrap();
            let (status, text) = ask(visitor, &method, &address).await;
            assert_ne!(status, 404, "{address}, which is an own item: {text}");
        }
        tried += 1;
    }

    assert!(tried > 15, "{tried} addresses");
    assert_eq!(theirs.possessions.read(&victim).await, before);
}

#[tokio::test]
async fn the_items_of_others_in_a_query_are_like_unknown_ones() {
    let world = with_nobody().await;
    let (attacker, victim) = (world.tenant().await, world.tenant().await);
    let theirs = Possessions::of(&world, &victim).await;
    let visitor = Visitor::of(&attacker);
    for (begin, items) in QUERIES {
        let id = theirs.at(items);
        let answer = ask(&visitor, &Method::GET, &format!("{begin}{id}")).await;
        let expected = ask(&visitor, &Method::GET, &format!("{begin}{UNKNOWN}")).await;
        assert_eq!(answer, expected, "{begin}{id}");
    }
}

#[test]
fn hidden_values_are_left_out_of_comparisons() {
    let page = "<input name=\"once\" value=\"a\"><input name=\"once\" value=\"b\">";
    let bare = "<input name=\"once\" value=\"><input name=\"once\" value=\">";
    assert_eq!(without_values(page, "once"), bare);
}
