//! `/app/campaigns/{id}/text`: the second step.

use actix_web::web::Path;
use askama::Template;
use domain::{
    content::template::{Template as Prepared, TemplateChannel, TemplateFilter, TemplateStatus},
    outreach::campaign::{Campaign, CampaignUpdate},
    shared::{
        change::Change, channel::Channel, fault::Faults, id::Id, page::Page, sender::UsableSenders,
    },
};
use usecases::Error;

use super::address;
use super::wizard::{ShownStep, Step, draft, steps};
use crate::frame::{
    Choice, Failure, Form, Frame, Labels, Place, Posted, Query, Shown, Visit, id_of,
};
use crate::words::InWords;

const CHANNEL: &str = "channel";
const TEMPLATE: &str = "templateId";
const SUBJECT: &str = "subject";
const BODY: &str = "body";
const SENDER: &str = "senderId";
const LABELS: Labels = &[
    (CHANNEL, "Channel"),
    (TEMPLATE, "Template"),
    (SUBJECT, "Subject"),
    (BODY, "Text"),
    (SENDER, "Sender"),
];

const PLACEHOLDERS: &str = "Placeholders are filled for each contact: {{firstName}}, {{lastName}}, \
                            and each attribute by its name. {{unsubscribe}} is a link by which \
                            people leave.";

#[derive(Template)]
#[template(path = "campaigns/text.html")]
struct TextPage {
    frame: Frame,
    form: Form,
    steps: Vec<ShownStep>,
    action: String,
    back: String,
    channels: Vec<Choice>,
    templates: Vec<Choice>,
    /// Senders to choose from; `None` if the sender is written.
    senders: Option<Vec<Choice>>,
    placeholders: &'static str,
}

pub(super) async fn show(visit: Visit, path: Path<String>, query: Query) -> Shown {
    let draft = draft(&visit, id_of(&path)?).await?;
    let template = draft.template.map(|id| id.to_string()).unwrap_or_default();
    let form = Form::new(LABELS)
        .with(CHANNEL, draft.channel.as_str())
        .with(TEMPLATE, query.get("template").unwrap_or(&template))
        .with(SUBJECT, draft.subject.as_deref().unwrap_or_default())
        .with(BODY, draft.body.as_deref().unwrap_or_default())
        .with(SENDER, draft.sender.as_deref().unwrap_or_default());
    page(&visit, &draft, form).await
}

pub(super) async fn save(visit: Visit, path: Path<String>, posted: Posted) -> Shown {
    let draft = draft(&visit, id_of(&path)?).await?;
    let (update, faults) = update(&posted);
    match visit.api().campaigns.update(&visit.caller, draft.id, update, faults).await {
        Ok(saved) => Ok(visit.go(&address(saved.campaign.id, Step::Check.page()), None)),
        Err(refusal) => page(&visit, &draft, posted.form(LABELS).refused(refusal)?).await,
    }
}

/// Returns the changes that the form asks for, and its faults.
fn update(posted: &Posted) -> (CampaignUpdate, Faults) {
    let mut faults = Faults::default();
    let channel: Option<Channel> = posted.parsed(CHANNEL, &mut faults);
    let template: Option<Id<Prepared>> = posted.parsed(TEMPLATE, &mut faults);
    let body = posted.text(BODY);
    if body.is_none() && posted.text(TEMPLATE).is_none() {
        faults.add(BODY, "is required, unless you choose a template");
    }
    // The form does not show a format, which only mails with a text of their own have.
    let keeps_format = template.is_none() && channel == Some(Channel::Email);
    let update = CampaignUpdate {
        channel,
        template: Change::Set(template),
        subject: Change::Set(posted.text(SUBJECT)),
        body: Change::Set(body),
        format: if keeps_format { Change::Keep } else { Change::Set(None) },
        sender: Change::Set(posted.text(SENDER)),
        ..CampaignUpdate::default()
    };
    (update, faults)
}

async fn page(visit: &Visit, draft: &Campaign, form: Form) -> Shown {
    let page = TextPage {
        frame: visit.frame(Place::Campaigns).refused(form.has_faults()),
        steps: steps(Some(draft), Step::Text),
        action: address(draft.id, Step::Text.page()),
        back: address(draft.id, ""),
        channels: Choice::of_all(Channel::ALL, Channel::as_str),
        templates: templates(visit, form.value(TEMPLATE)).await?,
        senders: senders(visit, form.value(SENDER)),
        placeholders: PLACEHOLDERS,
        form,
    };
    visit.answer(&page, page.form.has_faults())
}

/// Returns the choices of a template: the newest approved ones, and the one that is chosen.
async fn templates(visit: &Visit, chosen: &str) -> Result<Vec<Choice>, Failure> {
    let page = Page::of_short_list(None, None)?;
    let status = Some(TemplateStatus::Approved);
    let approved = TemplateFilter { status, ..TemplateFilter::default() };
    let found = visit.api().templates.page(&visit.caller, approved, page).await?.items;
    let mut choices = vec![Choice::new("", "No template: a text of its own")];
    choices.extend(found.iter().filter_map(template_choice));
    if choices.iter().any(|choice| choice.value == chosen) {
        return Ok(choices);
    }
    if let Ok(id) = chosen.parse() {
        match visit.api().templates.get(&visit.caller, id).await {
            Ok((template, _)) => choices.extend(template_choice(&template)),
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(choices)
}

fn template_choice(template: &Prepared) -> Option<Choice> {
    let TemplateChannel::Messages(channel) = template.content.channel else { return None };
    let label = format!("{} ({})", template.name, channel.words().label);
    Some(Choice::new(template.id.to_string(), label))
}

/// Returns the choices of a sender where only approved ones may be used.
fn senders(visit: &Visit, chosen: &str) -> Option<Vec<Choice>> {
    let UsableSenders::Approved(approved) = &visit.caller.policy.senders else { return None };
    let mut choices = vec![Choice::new("", "The usual one")];
    for usable in &**approved {
        let name = usable.sender.as_str();
        let label = format!("{name} ({})", usable.channel.words().label);
        // One name may be approved for several countries.
        if !choices.iter().any(|known| known.label == label) {
            choices.push(Choice::new(name, label));
        }
    }
    if !choices.iter().any(|known| known.value == chosen) {
        choices.push(Choice::new(chosen, chosen));
    }
    Some(choices)
}
