//! `/app/api-keys`: credentials of programs.

use actix_web::web::Path;
use askama::Template;
use domain::identity::api_key::{ApiKey, ApiKeyRequest};
use domain::identity::permission::Permission;
use domain::identity::scope::Scope;
use domain::shared::fault::Faults;
use usecases::Error;

use crate::formats::{Formats, Moment};
use crate::frame::{
    Choice, Form, Frame, Labels, Pages, Place, Posted, Query, Question, Route, Shown, Visit, get,
    id_of, once, once_of, post,
};
use crate::words::{Words, key_mode, right};

const PATH: &str = "/app/api-keys";
const NEW: &str = "/app/api-keys/new";
const REVOKE: &str = "/app/api-keys/{id}/revoke";
const LABELS: Labels =
    &[("name", "Name"), ("mode", "Mode"), ("scopes", "Rights"), ("expiresAt", "End")];

#[derive(Template)]
#[template(path = "api_keys/list.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
    may_write: bool,
}

struct Row {
    id: String,
    name: String,
    prefix: String,
    mode: Words,
    rights: String,
    used: Option<Moment>,
    ends: Option<Moment>,
}

#[derive(Template)]
#[template(path = "api_keys/make.html")]
struct MakePage {
    frame: Frame,
    form: Form,
    modes: [Choice; 2],
    rights: Vec<Choice>,
}

#[derive(Template)]
#[template(path = "api_keys/made.html")]
struct MadePage {
    frame: Frame,
    key: String,
    is_sandbox: bool,
    /// Command that sends a first message, if the key may send.
    command: Option<String>,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![get(PATH, list), get(NEW, make), post(NEW, create), get(REVOKE, ask), post(REVOKE, revoke)]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let page = query.page_of(25)?;
    let found = page.part(visit.api().api_keys.list(&visit.caller).await?);
    let formats = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::ApiKeys),
        pages: Pages::of(PATH, &query, &found),
        rows: found.items.into_iter().map(|key| row(key, formats)).collect(),
        may_write: visit.may(Permission::ManageIntegrations),
    })
}

fn row(key: ApiKey, formats: Formats) -> Row {
    let rights = key.scopes.iter().map(|name| match name.parse::<Scope>() {
        Ok(scope) => right(scope),
        Err(_) => name.as_str(),
    });
    Row {
        id: key.id.to_string(),
        rights: rights.collect::<Vec<_>>().join(", "),
        name: key.name,
        prefix: key.prefix,
        mode: key_mode(key.is_sandbox),
        used: key.last_used_at.map(|at| formats.distance(at)),
        ends: key.expires_at.map(|at| formats.time(at)),
    }
}

async fn make(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::ManageIntegrations)?;
    let form = Form::new(LABELS).with("mode", "sandbox");
    let form = Scope::DEFAULT.into_iter().fold(form, |form, it| form.with("scopes", it.as_str()));
    page(&visit, form)
}

async fn create(visit: Visit, posted: Posted) -> Shown {
    let made = once_of(visit.person(), &posted, async {
        let mut faults = Faults::default();
        let request = request(&posted, visit.formats(), &mut faults);
        let (_, key) = visit.api().api_keys.create(&visit.caller, request, faults).await?;
        Ok(key)
    });
    let key = match made.await {
        Ok(key) => key,
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            return page(&visit, form);
        }
    };
    let is_sandbox = is_sandbox(&posted);
    let may_send = scopes(&posted).iter().any(|scope| scope == Scope::MessagesSend.as_str());
    visit.show(&MadePage {
        frame: visit.frame(Place::ApiKeys),
        is_sandbox,
        command: may_send.then(|| command(&visit.api().public_url, &key, is_sandbox)),
        key,
    })
}

fn page(visit: &Visit, form: Form) -> Shown {
    let mine = Scope::ALL.into_iter().filter(|scope| visit.caller.authorize_grant(*scope).is_ok());
    let mode = |value, is_sandbox| Choice::new(value, key_mode(is_sandbox).meaning);
    let page = MakePage {
        frame: visit.frame(Place::ApiKeys).refused(form.has_faults()),
        form,
        modes: [mode("sandbox", true), mode("live", false)],
        rights: mine.map(|scope| Choice::new(scope.as_str(), right(scope))).collect(),
    };
    visit.answer(&page, page.form.has_faults())
}

fn request(posted: &Posted, formats: Formats, faults: &mut Faults) -> ApiKeyRequest {
    let (name, scopes) = (posted.text("name").unwrap_or_default(), scopes(posted));
    if name.is_empty() {
        faults.add("name", "is required");
    }
    if scopes.is_empty() {
        faults.add("scopes", "are missing: tick at least one");
    }
    let end = posted.text("expiresAt").and_then(|text| {
        faults.take("expiresAt", formats.parse_time(&text).ok_or("must be a day and a time"))
    });
    ApiKeyRequest { name, is_sandbox: is_sandbox(posted), scopes, expires_at: end }
}

fn scopes(posted: &Posted) -> Vec<String> {
    posted.all("scopes").map(str::to_owned).collect()
}

/// True unless the form says in so many words that messages are to reach people.
fn is_sandbox(posted: &Posted) -> bool {
    posted.raw("mode") != "live"
}

/// Returns the six lines that send a first message. With a live key, they name no real recipient.
fn command(url: &str, key: &str, is_sandbox: bool) -> String {
    let recipient = if is_sandbox { "0241234567" } else { "YOUR OWN NUMBER" };
    format!(
        r#"curl {url}/messages/send \
  -H 'X-API-Key: {key}' \
  -H 'Content-Type: application/json' \
  -d '{{"channel": "SMS",
       "to": "{recipient}",
       "body": "Akwaaba!"}}'"#
    )
}

async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::ManageIntegrations)?;
    let id = id_of(&path)?;
    let keys = visit.api().api_keys.list(&visit.caller).await?;
    let key = keys.into_iter().find(|key| key.id == id).ok_or(Error::NotFound("API key"))?;
    visit.show(&Question {
        frame: visit.frame(Place::ApiKeys),
        title: "Revoke the key?",
        name: key.name,
        text: "Programs that call with it are refused at once, and for good.",
        button: "Revoke the key",
        action: format!("{PATH}/{id}/revoke"),
        back: PATH.to_owned(),
    })
}

async fn revoke(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let revoked = once(&visit, &posted, async {
        visit.api().api_keys.revoke(&visit.caller, id).await?;
        Ok(PATH.to_owned())
    });
    Ok(visit.done(&revoked.await?, "The key is revoked."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reaches_people_only_if_that_was_chosen() {
        for (mode, expected) in [("", true), ("sandbox", true), ("Live", true), ("live", false)] {
            assert_eq!(is_sandbox(&Posted::of_fields(&[("mode", mode)])), expected, "{mode}");
        }
    }

    #[test]
    fn the_first_message_is_sent_by_six_lines() {
        let command = command("https://sms.example", "ak_test_1", true);
        assert_eq!(command.lines().count(), 6);
        let body = command.split('\'').rev().nth(1).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["to"], "0241234567");
    }
}
