//! `/app/team/audit`

use std::collections::BTreeMap;

use askama::Template;
use domain::identity::organization::Role;
use domain::identity::user::User;
use domain::platform::audit::{AuditAction, AuditLine};
use domain::shared::id::Id;
use serde_json::Value;

use super::name_of;
use crate::formats::Moment;
use crate::frame::{Frame, Pages, Place, Query, Shown, Visit};
use crate::words::{InWords, act_in_words};

pub(super) const PATH: &str = "/app/team/audit";

type Names = BTreeMap<Id<User>, String>;

#[derive(Template)]
#[template(path = "team/audit.html")]
struct AuditPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    at: Moment,
    who: String,
    act: String,
    details: String,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let page = query.page_of(50)?;
    let found = visit.api().audit.own(&visit.caller, page).await?;
    let members = visit.api().organizations.members(&visit.caller).await?;
    let names: Names = members.iter().map(|member| (member.user, name_of(member))).collect();
    let f = visit.formats();
    let row = |line: &AuditLine| Row {
        at: f.time(line.at),
        who: actor(line, &names).to_owned(),
        act: act_in_words(&line.action).to_owned(),
        details: details(&line.details, &names),
    };
    visit.show(&AuditPage {
        frame: visit.frame(Place::Team),
        rows: found.items.iter().map(|record| row(&record.line)).collect(),
        pages: Pages::of(PATH, &query, &found),
    })
}

fn actor<'n>(line: &AuditLine, names: &'n Names) -> &'n str {
    if line.is_impersonated {
        return "An administrator of the platform, as the owner";
    }
    if let Some(name) = names.get(&line.user) {
        return name;
    }
    match line.action.parse() {
        Ok(action) if !is_of_members(action) => "An administrator of the platform",
        Ok(_) | Err(_) => "Somebody outside of the team",
    }
}

/// True for acts of members. All others in the log of an organization are those of administrators of the
/// platform.
const fn is_of_members(action: AuditAction) -> bool {
    matches!(
        action,
        AuditAction::OrganizationClosed
            | AuditAction::OrganizationRestored
            | AuditAction::TrafficStopLifted
            | AuditAction::MemberAdded
            | AuditAction::MemberRoleChanged
            | AuditAction::MemberRemoved
            | AuditAction::MemberLeft
            | AuditAction::InvitationCreated
            | AuditAction::InvitationResent
            | AuditAction::InvitationWithdrawn
            | AuditAction::InvitationAccepted
            | AuditAction::MessagesResent
            | AuditAction::ContactsDeleted
            | AuditAction::ContactsTagged
            | AuditAction::TemplateDeleted
            | AuditAction::ImportUndone
    )
}

/// Returns what a line says of persons, roles, texts, money, requests and reasons.
fn details(json: &str, names: &Names) -> String {
    let details: Value = serde_json::from_str(json).unwrap_or_default();
    let text = |name: &str| details.get(name).and_then(Value::as_str);
    let person = text("userId").map(|id| {
        let name = id.parse::<Id<User>>().ok().and_then(|id| names.get(&id));
        name.map_or("a former member", String::as_str)
    });
    let role = |name: &str| Some(text(name)?.parse::<Role>().ok()?.words().label);
    let before = role("previousRole").map(|role| format!("from {role}"));
    let now = role("role").map(|role| format!("to {role}"));
    // Comments on other acts are notes of administrators to each other.
    let comment = text("approvalId").and_then(|_| text("comment")).map(|it| format!("“{it}”"));
    let change = [person, text("email"), before.as_deref(), now.as_deref()];
    let texts = ["name", "amount", "reference", "method", "path", "reason"].map(text);
    let whole = change.into_iter().chain(texts).chain([comment.as_deref()]);
    whole.flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn a_line_names_persons_roles_and_reasons_in_words() {
        let ama = Id::<User>::new(DateTime::UNIX_EPOCH);
        let names = Names::from([(ama, "Ama Mensah".to_owned())]);
        let changed =
            format!(r#"{{"userId":"{ama}","previousRole":"VIEWER","role":"CAMPAIGN_MANAGER"}}"#);
        assert_eq!(details(&changed, &names), "Ama Mensah from Viewer to Marketing");
        assert_eq!(details(r#"{"userId":"1"}"#, &names), "a former member");
        assert_eq!(details(r#"{"reason":"ticket 4711","expiresAt":"1"}"#, &names), "ticket 4711");
        let rejected = r#"{"name":"Raffle","comment":"No prizes","approvalId":"1"}"#;
        assert_eq!(details(rejected, &names), "Raffle “No prizes”");
        assert_eq!(details(r#"{"amount":"GHS 5.00","comment":"a note"}"#, &names), "GHS 5.00");
        assert_eq!(details("", &names), "");
    }

    #[test]
    fn an_act_of_nobody_in_the_team_is_one_of_the_platform_unless_only_members_act_so() {
        let platform = AuditAction::ALL.into_iter().filter(|action| !is_of_members(*action));
        let names: Vec<_> = platform.map(AuditAction::as_str).collect();
        for name in ["impersonation.began", "approval.rejected", "wallet.corrected"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.iter().any(|name| name.starts_with("member.")), "{names:?}");
    }
}
