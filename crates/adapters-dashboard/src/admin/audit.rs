//! `/app/admin/audit`

use std::collections::BTreeMap;

use askama::Template;
use domain::identity::organization::{Organization, PLATFORM};
use domain::messaging::delivery_log::LogRequest;
use domain::platform::audit::{AuditAction, AuditFilter};
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use domain::shared::page::{Page, Paged};
use serde_json::Value;
use usecases::{Error, platform::audit::AuditRecord};

use crate::formats::{Formats, Moment};
use crate::frame::{
    Administration, Choice, Form, Frame, Labels, Pages, Place, Query, Shown, found_or_refused,
};
use crate::messages::filter;
use crate::words::{act, act_in_words};

pub(super) const PATH: &str = "/app/admin/audit";
const LABELS: Labels = &[
    ("organization", "Organization"),
    ("actor", "User"),
    ("action", "Act"),
    ("from", "From"),
    ("to", "Until"),
];

#[derive(Template)]
#[template(path = "admin/audit.html")]
struct AuditPage {
    frame: Frame,
    form: Form,
    actions: Vec<Choice>,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    at: Moment,
    /// Mail address of the user, or the identifier of one who is deleted.
    actor: String,
    /// Address of the acts of this user.
    by_actor: String,
    act: String,
    is_impersonated: bool,
    /// Address and name of the organization; `None` for the platform.
    organization: Option<(String, String)>,
    details: Vec<(String, String)>,
}

impl Row {
    fn new(
        record: AuditRecord,
        names: &BTreeMap<Id<Organization>, String>,
        query: &Query,
        f: &Formats,
    ) -> Self {
        let AuditRecord { line, email } = record;
        let user = line.user.to_string();
        let mut details = details(&line.details);
        details.extend(line.request.map(|request| ("Request".to_owned(), request)));
        let name = names.get(&line.organization).filter(|_| line.organization != PLATFORM);
        let href = format!("/app/admin/tenants/{}", line.organization);
        Self {
            at: f.time(line.at),
            by_actor: query.address(PATH, "actor", &user),
            actor: email.unwrap_or(user),
            act: act_in_words(&line.action).to_owned(),
            is_impersonated: line.is_impersonated,
            organization: name.map(|name| (href, name.clone())),
            details,
        }
    }
}

pub(super) async fn show(of: Administration, query: Query) -> Shown {
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let page = query.page_of(25)?;
    let (found, form) = found_or_refused(found(&of, &query, page).await, page, form)?;
    let organizations = found.items.iter().map(|record| record.line.organization).collect();
    let names = of.api().tenants.names(&of.administrator, organizations).await?;
    let (f, is_refused) = (of.formats(), form.has_faults());
    let actions = AuditAction::ALL.map(|action| Choice::new(action.as_str(), act(action)));
    let page = AuditPage {
        frame: of.frame(Place::PlatformAudit).refused(is_refused),
        form,
        actions: Choice::after("Any act", actions),
        pages: Pages::of(PATH, &query, &found),
        rows: found.items.into_iter().map(|it| Row::new(it, &names, &query, &f)).collect(),
    };
    of.answer(&page, is_refused)
}

async fn found(
    of: &Administration,
    query: &Query,
    page: Page,
) -> Result<Paged<AuditRecord>, Error> {
    let mut faults = Faults::default();
    let is_day = |name: &str| ["from", "to"].contains(&name);
    let day = |name: &str| query.get(name).filter(|_| is_day(name)).map(str::to_owned);
    let days = filter::read(day, &of.formats());
    let days = days.map_err(|found| faults.merge("", found)).unwrap_or_default();
    let LogRequest { from, to, .. } = days;
    let action: Option<AuditAction> = query.parsed("action", &mut faults);
    let filter = AuditFilter {
        organization: query.parsed("organization", &mut faults),
        actor: query.parsed("actor", &mut faults),
        action: action.map(|action| action.as_str().to_owned()),
        from,
        to,
    };
    of.api().audit.page(&of.administrator, faults.or(filter)?, page).await
}

/// Returns the details of a line, which are JSON.
fn details(json: &str) -> Vec<(String, String)> {
    let details: BTreeMap<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    details.into_iter().map(|(name, value)| (in_words(&name), text(value))).collect()
}

/// Returns a name in camel case as words: `unitPrice` as `Unit price`.
fn in_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for letter in name.chars() {
        if words.is_empty() {
            words.extend(letter.to_uppercase());
        } else if letter.is_uppercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_shown_with_their_names_in_words() {
        let shown = details(r#"{"unitPrice": "GHS 0.03", "isActive": true}"#);
        let shown: Vec<_> = shown.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(shown, ["Is active: true", "Unit price: GHS 0.03"]);
        assert!(details("no JSON").is_empty());
    }
}
