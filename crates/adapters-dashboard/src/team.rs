//! `/app/team`: members, invitations, roles, and who did what.

mod audit;
mod invitations;
mod member;

use askama::Template;
use domain::identity::invitation::Invitation;
use domain::identity::organization::{Member, Role};
use domain::identity::permission::Permission;

use crate::formats::Moment;
use crate::frame::{Choice, Frame, Labels, Pages, Place, Query, Route, Shown, Visit, get, post};
use crate::words::{InWords, Words, permission_words};

const PATH: &str = "/app/team";
const LABELS: Labels = &[("email", "Email"), ("role", "Role")];

#[derive(Template)]
#[template(path = "team/list.html")]
struct ListPage {
    frame: Frame,
    members: Vec<Row>,
    pages: Pages,
    invitations: Vec<Row>,
    may_invite: bool,
    may_read_audit: bool,
    roles: [Words; 6],
    /// Permissions, each with an answer for every role.
    permissions: Vec<(&'static str, [&'static str; 6])>,
}

struct Row {
    /// Address of its page or acts; `None` if the visitor may not change it.
    href: Option<String>,
    name: String,
    email: String,
    is_verified: bool,
    role: Words,
    /// Time at which the member joined, or the invitation ends.
    at: Moment,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, list),
        get(audit::PATH, audit::list),
        get("/app/team/invite", invitations::offer),
        post("/app/team/invite", invitations::invite),
        post("/app/team/invitations/{id}/resend", invitations::resend),
        post("/app/team/invitations/{id}/withdraw", invitations::withdraw),
        get("/app/team/members/{id}", member::show),
        post("/app/team/members/{id}", member::save),
        post("/app/team/members/{id}/remove", member::remove),
    ]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let page = query.page_of(25)?;
    let found = page.part(visit.api().organizations.members(&visit.caller).await?);
    // An administrator who acts as the organization sees no invitations.
    let invitations = match visit.caller.impersonator() {
        None => visit.api().members.invitations(&visit.caller).await?,
        Some(_) => Vec::new(),
    };
    let answers = |permission: Permission| {
        let answer = |role: Role| if role.may(permission) { "Yes" } else { "–" };
        (permission_words(permission), Role::ALL.map(answer))
    };
    visit.show(&ListPage {
        frame: visit.frame(Place::Team),
        pages: Pages::of(PATH, &query, &found),
        members: found.items.into_iter().map(|it| member_row(&visit, it)).collect(),
        invitations: invitations.into_iter().map(|it| invitation_row(&visit, it)).collect(),
        may_invite: visit.may(Permission::ManageMembers),
        may_read_audit: visit.may(Permission::ReadAudit),
        roles: Role::ALL.map(Role::words),
        permissions: Permission::ALL.map(answers).into(),
    })
}

fn member_row(visit: &Visit, member: Member) -> Row {
    let may_change = may_give(visit, member.role) || is_self(visit, &member);
    Row {
        href: may_change.then(|| format!("{PATH}/members/{}", member.user)),
        name: name_of(&member),
        is_verified: member.email_verified || !visit.api().verifies_emails,
        email: member.email,
        role: member.role.words(),
        at: visit.formats().date(member.joined_at),
    }
}

fn invitation_row(visit: &Visit, invitation: Invitation) -> Row {
    let may_change = may_give(visit, invitation.role);
    Row {
        href: may_change.then(|| format!("{PATH}/invitations/{}", invitation.id)),
        name: String::new(),
        is_verified: false,
        email: invitation.email,
        role: invitation.role.words(),
        at: visit.formats().distance(invitation.expires_at),
    }
}

/// True if the visitor may give that role to somebody, and take it away.
fn may_give(visit: &Visit, role: Role) -> bool {
    let is_owner = visit.caller.owner().is_ok();
    visit.may(Permission::ManageMembers) && (role != Role::Owner || is_owner)
}

/// Returns the roles that the visitor may give.
fn given_roles(visit: &Visit) -> Vec<Choice> {
    let given = Role::ALL.into_iter().filter(|role| may_give(visit, *role));
    let label = |words: Words| format!("{} – {}", words.label, words.meaning);
    given.map(|role| Choice::new(role.as_str(), label(role.words()))).collect()
}

fn is_self(visit: &Visit, member: &Member) -> bool {
    member.user == visit.person().user().id && visit.caller.impersonator().is_none()
}

fn name_of(member: &Member) -> String {
    format!("{} {}", member.first_name, member.last_name)
}
