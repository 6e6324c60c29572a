//! `/app/events/{id}/try`

use std::collections::BTreeMap;

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;
use domain::outreach::event::LinkedEvent;
use domain::outreach::trigger::TriggerRequest;
use domain::shared::channel::Channel;
use usecases::outreach::events::TriggerEvent;

use super::{address, route::texts};
use crate::frame::{Choice, Form, Frame, Labels, Place, Posted, Shown, Visit, id_of, once};
use crate::words::{InWords, Words};

/// Beginning of the names of the fields with values of placeholders.
const VALUE: &str = "value.";
const MODE: &str = "mode";
const SEND: &str = "send";
const LABELS: Labels = &[("to", "Recipient"), ("variables", "Values"), (MODE, "What happens")];

#[derive(Template)]
#[template(path = "events/trial.html")]
struct TrialPage {
    frame: Frame,
    form: Form,
    name: String,
    href: String,
    /// Reason for which it notifies nobody.
    problem: Option<Words>,
    /// Names of the fields of placeholders, and of the placeholders.
    values: Vec<(String, String)>,
    modes: Vec<Choice>,
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::TriggerEvents)?;
    let linked = visit.api().events.get(&visit.caller, id_of(&path)?).await?;
    let takes_mails = linked.event.channels().contains(&Channel::Email);
    let own = if takes_mails { visit.person().user().email.as_str() } else { "" };
    let form = Form::new(LABELS).with("to", own).with(MODE, "rehearse");
    page(&visit, &linked, form)
}

pub(super) async fn happen(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::TriggerEvents)?;
    let linked = visit.api().events.get(&visit.caller, id_of(&path)?).await?;
    let form = posted.form(LABELS);
    if posted.text("to").is_none() {
        let form = form.with_fault("to", "Enter a phone number or an email address");
        return page(&visit, &linked, form);
    }
    let command = command(&posted, &linked);
    let triggered = Box::pin(once(&visit, &posted, async {
        let sent = visit.api().events.trigger(&visit.caller, command).await?;
        Ok(format!("/app/messages/{}", sent.accepted.message.id))
    }));
    match triggered.await {
        Ok(address) => Ok(visit.done(&address, "The event happened. This is its first message.")),
        Err(refusal) => page(&visit, &linked, form.refused(refusal)?),
    }
}

fn command(posted: &Posted, linked: &LinkedEvent) -> TriggerEvent {
    let values = posted.fields().iter().filter(|(_, value)| !value.is_empty());
    let variables: BTreeMap<_, _> = values
        .filter_map(|(name, value)| Some((name.strip_prefix(VALUE)?.to_owned(), value.clone())))
        .collect();
    TriggerEvent {
        trigger: TriggerRequest {
            event: Some(linked.event.slug.clone()),
            to: posted.text("to"),
            variables,
            ..TriggerRequest::default()
        },
        idempotency_key: posted.once().map(|key| format!("form-{key}")),
        is_async: true,
        is_sandbox: Some(posted.raw(MODE) != SEND),
        ..TriggerEvent::default()
    }
}

fn page(visit: &Visit, linked: &LinkedEvent, form: Form) -> Shown {
    let texts = texts(linked);
    let problem = texts.as_ref().err().map(|why| why.words());
    let names = texts.map(|texts| texts.names).unwrap_or_default();
    let page = TrialPage {
        frame: visit.frame(Place::Events).refused(form.has_faults()),
        form,
        name: linked.event.name.clone(),
        href: address(linked.event.id, ""),
        problem,
        values: names.into_iter().map(|name| (format!("{VALUE}{name}"), name)).collect(),
        modes: vec![
            Choice::new("rehearse", "Rehearse it: nothing is sent, and it costs nothing"),
            Choice::new(SEND, "Send it: the message costs as much as any other"),
        ],
    };
    visit.answer(&page, page.form.has_faults())
}
