//! `/app/webhooks/new`, `/app/webhooks/{id}/edit` and `/app/webhooks/{id}/secret`

use actix_web::web::Path;
use askama::Template;
use domain::{
    identity::permission::Permission,
    shared::{change::Change, fault::Faults, id::Id, webhook_event::WebhookEvent},
    webhooks::webhook::{WebhookEndpoint, WebhookEndpointRequest, WebhookEndpointUpdate},
};

use super::{PATH, address, ask};
use crate::frame::{Choice, Form, Frame, Labels, Place, Posted, Shown, Visit, id_of, once_of};
use crate::words::InWords;

pub(super) const NEW: &str = "/app/webhooks/new";
const LABELS: Labels = &[("url", "Address"), ("events", "Events")];

#[derive(Template)]
#[template(path = "webhooks/editor.html")]
struct EditorPage {
    frame: Frame,
    form: Form,
    events: Vec<Choice>,
    title: &'static str,
    action: String,
    back: String,
}

#[derive(Template)]
#[template(path = "webhooks/secret.html")]
struct SecretPage<'k> {
    frame: Frame,
    href: &'k str,
    secret: &'k str,
    /// True if there was no secret before.
    is_first: bool,
}

pub(super) async fn make(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::ManageIntegrations)?;
    page(&visit, None, Form::new(LABELS))
}

pub(super) async fn create(visit: Visit, posted: Posted) -> Shown {
    let made = once_of(visit.person(), &posted, async {
        let mut faults = Faults::default();
        let (url, events) = read(&posted, &mut faults);
        let request = WebhookEndpointRequest { url, events: Some(events) };
        let made = visit.api().webhook_endpoints.create(&visit.caller, request, faults).await?;
        Ok(kept(&made))
    });
    match made.await {
        Ok(kept) => show_secret(&visit, &kept, true),
        Err(refusal) => page(&visit, None, posted.form(LABELS).refused(refusal)?),
    }
}

pub(super) async fn edit(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::ManageIntegrations)?;
    let endpoint = visit.api().webhook_endpoints.get(&visit.caller, id_of(&path)?).await?;
    let form = Form::new(LABELS).with("url", endpoint.url);
    let events = endpoint.events.into_iter().flatten();
    let form = events.fold(form, |form, event| form.with("events", event.as_str()));
    page(&visit, Some(endpoint.id), form)
}

pub(super) async fn save(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let (id, mut faults) = (id_of(&path)?, Faults::default());
    let (url, events) = read(&posted, &mut faults);
    let events = Change::Set(Some(events));
    let update = WebhookEndpointUpdate { url: Some(url), events, is_active: None };
    match visit.api().webhook_endpoints.update(&visit.caller, id, update, faults).await {
        Ok(_) => Ok(visit.done(&address(id, ""), "The webhook is saved.")),
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            let known = visit.api().webhook_endpoints.get(&visit.caller, id).await?;
            page(&visit, Some(known.id), form)
        }
    }
}

/// Reads the address and the events; none means all.
fn read(posted: &Posted, faults: &mut Faults) -> (String, Vec<WebhookEvent>) {
    let url = posted.text("url").unwrap_or_default();
    if url.is_empty() {
        faults.add("url", "is required");
    }
    let named = posted.all("events");
    let read = named.filter_map(|event| faults.take("events", event.parse::<WebhookEvent>()));
    (url, read.collect())
}

fn page(visit: &Visit, id: Option<Id<WebhookEndpoint>>, form: Form) -> Shown {
    let choice = |event: WebhookEvent| {
        Choice::new(event.as_str(), format!("{} ({})", event.words().label, event.as_str()))
    };
    let page = EditorPage {
        frame: visit.frame(Place::Webhooks).refused(form.has_faults()),
        form,
        events: WebhookEvent::ALL.map(choice).into(),
        title: if id.is_some() { "Change the webhook" } else { "Add a webhook" },
        action: id.map_or_else(|| NEW.to_owned(), |id| address(id, "/edit")),
        back: id.map_or_else(|| PATH.to_owned(), |id| address(id, "")),
    };
    visit.answer(&page, page.form.has_faults())
}

pub(super) async fn ask_to_rotate(visit: Visit, path: Path<String>) -> Shown {
    let text = "Calls are signed with a new secret. For a day, webhook-signature has a signature by \
                the present one as well: change your server until then. X-Service-Signature \
                changes at once.";
    ask(&visit, &path, ["Replace the secret?", text, "Replace the secret", "/secret"]).await
}

pub(super) async fn rotate(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let rotated = once_of(visit.person(), &posted, async {
        Ok(kept(&visit.api().webhook_endpoints.rotate_secret(&visit.caller, id).await?))
    });
    show_secret(&visit, &rotated.await?, false)
}

/// Returns what is kept of a form that made a secret, to show the same if it is sent again.
fn kept(endpoint: &WebhookEndpoint) -> String {
    format!("{} {}", address(endpoint.id, ""), endpoint.secret.expose())
}

fn show_secret(visit: &Visit, kept: &str, is_first: bool) -> Shown {
    let (href, secret) = kept.split_once(' ').unwrap_or_default();
    visit.show(&SecretPage { frame: visit.frame(Place::Webhooks), href, secret, is_first })
}
