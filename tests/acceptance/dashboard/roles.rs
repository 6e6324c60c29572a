//! Forms and controls of members: each role sends and sees those that the table of roles allows it.

use std::collections::BTreeSet;

use acceptance::{Answer, Tenant, unique_email};
use domain::identity::{organization::Role, permission::Permission};
use serde_json::json;

use crate::{
    dashboard::{
        foreign_items::{Items, unknown},
        forms::forms_in,
        origins::WITH_FILES,
        visitor::Visitor,
    },
    shared::settings::with_nobody,
};

/// Words of the page that refuses what the role does not allow.
const REFUSED: &str = "You may not do this";
/// Pages and forms of platform administrators.
const PLATFORM: &str = "/app/admin";

/// Demand on the member who sends a form.
#[derive(Debug, Clone, Copy)]
enum Need {
    /// Nothing: the form is about the user alone.
    Nothing,
    /// A permission.
    Permission(Permission),
    /// The ownership of the organization.
    Ownership,
    /// The administration of the platform, which no role has.
    Administration,
}

impl Need {
    fn allows(self, role: Role) -> bool {
        match self {
            Self::Nothing => true,
            Self::Permission(permission) => role.may(permission),
            Self::Ownership => role == Role::Owner,
            Self::Administration => false,
        }
    }
}

const fn may(permission: Permission) -> Need {
    Need::Permission(permission)
}

/// Beginnings of the addresses of forms, each with its need. The first that fits counts.
const NEEDS: [(&str, Need); 33] = [
    (PLATFORM, Need::Administration),
    ("/app/account", Need::Nothing),
    ("/app/forgot", Need::Nothing),
    ("/app/join", Need::Nothing),
    ("/app/leave-impersonation", Need::Nothing),
    ("/app/organizations", Need::Nothing),
    ("/app/register", Need::Nothing),
    ("/app/reset", Need::Nothing),
    ("/app/sign-", Need::Nothing),
    ("/app/verify", Need::Nothing),
    ("/app/team", may(Permission::ManageMembers)),
    ("/app/settings/close", Need::Ownership),
    ("/app/settings/restore", Need::Ownership),
    ("/app/settings/sender-names", may(Permission::RequestSenderNames)),
    ("/app/settings", may(Permission::ManageOrganization)),
    ("/app/billing/top-up", may(Permission::TopUp)),
    ("/app/billing", may(Permission::ManageOrganization)),
    ("/app/api-keys", may(Permission::ManageIntegrations)),
    ("/app/webhooks", may(Permission::ManageIntegrations)),
    ("/app/campaigns/{id}/resend-failed", may(Permission::RunCampaigns)),
    ("/app/campaigns/{id}/resume", may(Permission::RunCampaigns)),
    ("/app/campaigns/{id}/cancel", may(Permission::RunCampaigns)),
    ("/app/campaigns", may(Permission::WriteAudience)),
    ("/app/contacts", may(Permission::WriteAudience)),
    ("/app/segments", may(Permission::WriteAudience)),
    ("/app/templates", may(Permission::WriteAudience)),
    ("/app/events/{id}/try", may(Permission::TriggerEvents)),
    ("/app/events", may(Permission::WriteEvents)),
    ("/app/suppressions", may(Permission::WriteSuppressions)),
    ("/app/messages/exports", may(Permission::ReadTexts)),
    ("/app/messages", may(Permission::SendMessages)),
    ("/app/resend", may(Permission::SendMessages)),
    ("/app/send", may(Permission::SendMessages)),
];

/// Fields of a form.
type Fields = &'static [(&'static str, &'static str)];

/// Text message to one person.
const MESSAGE: Fields =
    &[("to", "one"), ("channel", "SMS"), ("recipient", "0241234567"), ("text", "Akwaaba")];
/// Forms that are sent with valid fields: without them, they would be refused for that alone.
const FILLED: [(&str, Fields); 4] = [
    ("/app/campaigns/{id}/move", &[("when", "now")]),
    ("/app/events/{id}/try", &[("to", "0241234567")]),
    ("/app/send", MESSAGE),
    ("/app/send/preview", MESSAGE),
];

fn paths(method: &str) -> Vec<&'static str> {
    let routes = adapters_dashboard::routes().into_iter();
    routes.filter(|(known, _)| *known == method).map(|(_, path)| path).collect()
}

fn need(path: &str) -> Need {
    let known = NEEDS.iter().find(|(beginning, _)| path.starts_with(beginning));
    let (_, need) = known.unwrap_or_else(|| panic!("{path}: who may send it? Add it to NEEDS"));
    *need
}

/// Returns the path with the item of the organization; further identifiers are unknown ones.
fn address(items: &Items, path: &str) -> String {
    items.address(path).map_or_else(|| path.to_owned(), |address| unknown(&address))
}

/// Returns the path that leads to an address; one without an identifier goes first.
fn path_of(method: &str, address: &str) -> Option<&'static str> {
    let address: Vec<_> = address.split('/').collect();
    let fits = |path: &&str| {
        let path: Vec<_> = path.split('/').collect();
        let mut parts = path.iter().zip(&address);
        path.len() == address.len() && parts.all(|(part, it)| part == it || part.starts_with('{'))
    };
    let mut fitting: Vec<_> = paths(method).into_iter().filter(fits).collect();
    fitting.sort_by_key(|path| path.contains('{'));
    fitting.first().copied()
}

/// Returns the values of an attribute in a page, without what follows a question mark.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    let rests = page.split(begin.as_str()).skip(1);
    rests.filter_map(|rest| rest.split(['"', '?', '#']).next()).collect()
}

/// Returns the addresses to which the forms and buttons of a page are sent.
fn actions(page: &str, address: &str) -> Vec<String> {
    let own = |action: Option<String>| action.unwrap_or_else(|| address.to_owned());
    let mut actions: Vec<_> = forms_in(page).into_iter().map(|form| own(form.action)).collect();
    actions.extend(values(page, "formaction").into_iter().map(str::to_owned));
    actions
}

/// Sends a form with its fields or its file.
async fn send(visitor: &Visitor, path: &str, address: &str) -> Answer {
    if WITH_FILES.contains(&path) {
        return visitor.upload(address, "phone\n0241234567\n").await;
    }
    let filled = FILLED.iter().find(|(known, _)| *known == path);
    visitor.submit(address, filled.map(|(_, fields)| *fields).unwrap_or_default()).await
}

/// Returns a new member of each role, as a visitor.
async fn members(tenant: &Tenant<'_>) -> Vec<(Role, Visitor)> {
    let mut members = Vec::new();
    for role in Role::ALL {
        let email = unique_email("member");
        let user = tenant.world.user(&email).await;
        let body = json!({"email": email, "role": role.as_str()});
        tenant.owner().post("/organizations/invite", body).await.data(201);
        let token = user["token"].as_str().unwrap().to_owned();
        let (world, id) = (tenant.world, tenant.id.clone());
        members.push((role, Visitor::of(&Tenant { world, id, email, token })));
    }
    members
}

#[tokio::test]
async fn a_form_that_the_role_forbids_is_refused_and_changes_nothing() {
    let world = with_nobody().await;
    let tenant = world.tenant().await;
    let items = Items::of(&world, &tenant).await;
    let members = members(&tenant).await;
    let before = items.possessions.read(&tenant).await;
    let mut refused = 0;
    for (role, visitor) in &members {
        for path in paths("POST") {
            let need = need(path);
            if need.allows(*role) {
                // An unknown item shows that the role is not what stops it.
                if path.contains('{') {
                    let answer = send(visitor, path, &unknown(path)).await;
                    assert_ne!(answer.status, 403, "{role} {path}: {}", answer.text);
                }
                continue;
            }
            let address = match need {
                Need::Administration => unknown(path),
                _ => address(&items, path),
            };
            let answer = send(visitor, path, &address).await;
            assert_eq!(answer.status, 403, "{role} {address}: {}", answer.text);
            assert!(answer.text.contains(REFUSED), "{role} {address}: {}", answer.text);
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused} forms");
    assert_eq!(items.possessions.read(&tenant).await, before);
}

#[tokio::test]
async fn a_page_shows_no_control_that_the_role_of_its_reader_forbids() {
    let world = with_nobody().await;
    let tenant = world.tenant().await;
    let items = Items::of(&world, &tenant).await;
    let (mut broken, mut allowed) = (Vec::new(), 0);
    for (role, visitor) in &members(&tenant).await {
        let mut links = BTreeSet::new();
        for path in paths("GET").into_iter().filter(|path| !path.starts_with(PLATFORM)) {
            let address = address(&items, path);
            let page = visitor.get(&address).await;
            if page.status != 200 || !page.header("content-type").starts_with("text/html") {
                continue;
            }
            for action in actions(&page.text, &address) {
                match path_of("POST", &action).map(need) {
                    Some(need) if !need.allows(*role) => {
                        broken.push(format!("{role} {address}: form to {action}"));
                    }
                    Some(Need::Permission(_)) => allowed += 1,
                    Some(_) => {}
                    None => broken.push(format!("{address}: the form to {action} leads nowhere")),
                }
            }
            let hrefs = values(&page.text, "href").into_iter();
            links.extend(hrefs.filter(|it| it.starts_with("/app")).map(str::to_owned));
        }
        for link in links {
            if visitor.get(&link).await.status == 403 {
                broken.push(format!("{role}: a link to {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(allowed > 50, "{allowed} forms are shown to those who may send them");
}

#[test]
fn a_form_is_known_by_its_address() {
    assert_eq!(path_of("POST", "/app/contacts/new"), Some("/app/contacts/new"));
    assert_eq!(path_of("POST", "/app/contacts/7/edit"), Some("/app/contacts/{id}/edit"));
    assert_eq!(path_of("POST", "/app/nowhere"), None);
    let page =
        "<form method=\"post\" action=\"/app/send\"><button formaction=\"/app/send/preview\">";
    assert_eq!(actions(page, "/app"), ["/app/send", "/app/send/preview"]);
}
