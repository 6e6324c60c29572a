//! `/app/team/audit`

use std::collections::BTreeMap;

use askama::Template;
use domain::identity::organization::Role;
use domain::identity::user::User;
use domain::platform::audit::AuditLine;
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
    names.get(&line.user).map_or("Somebody outside of the team", String::as_str)
}

/// Returns what a line says of persons, roles, requests and reasons.
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
    let change = [person, text("email"), before.as_deref(), now.as_deref()];
    let whole = change.into_iter().chain(["method", "path", "reason"].map(text));
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
        assert_eq!(details("", &names), "");
    }
}
