//! The page with the form, and with the preview of its messages.

use askama::Template;
use domain::audience::contact::{Contact, ContactFilter};
use domain::content::compliance;
use domain::content::sender_name::SenderNameStatus;
use domain::content::template::{TemplateFilter, TemplateStatus};
use domain::shared::category::Category;
use domain::shared::channel::Channel;
use domain::shared::id::Id;
use domain::shared::page::Page;
use usecases::Error;

use super::composition::{
    CHOSEN, Composition, Entries, FIND, LABELS, RECIPIENT, TEXT, Way, field_of_variable,
};
use super::preview::Preview;
use crate::contacts::name_of;
use crate::formats::Formats;
use crate::frame::{Choice, Entry, Failure, Form, Frame, Place, Posted, Query, Shown, Visit};

pub(super) const PATH: &str = "/app/send";
/// Number of contacts that a search shows.
const FOUND: u32 = 10;

#[derive(Template)]
#[template(path = "send/page.html")]
pub(super) struct SendPage {
    frame: Frame,
    form: Form,
    ways: Vec<Entry>,
    way: &'static str,
    is_several: bool,
    /// Address of the visitor, who gets the mail; `None` if a recipient is written.
    own_email: Option<String>,
    recipient_hint: &'static str,
    channels: Vec<Choice>,
    templates: Vec<Choice>,
    has_template: bool,
    has_subject: bool,
    /// Fields for placeholders, with the names of these.
    variables: Vec<Choice>,
    categories: Vec<Choice>,
    senders: Vec<Choice>,
    /// Contacts that were found or chosen.
    contacts: Vec<Choice>,
    /// True if a search found nobody.
    found_nobody: bool,
    times: Vec<Choice>,
    zone: String,
    is_mail: bool,
    /// Time at which the messages go, in words; `None` if they go at once.
    at: Option<String>,
    preview: Preview,
    /// Messages that were accepted while others were refused.
    pub(super) progress: Option<Progress>,
}

/// Messages that were accepted.
pub(super) struct Progress {
    /// Sentence about their number.
    pub(super) text: String,
    /// Address of the list of them.
    pub(super) href: String,
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    let mut fields = query.pairs().to_vec();
    let composition = Composition::of(&visit, Entries(&fields)).await?;
    if query.get("template").is_some() && composition.template.is_none() {
        return Err(Failure::UnknownPage);
    }
    let composition = match query.get("contact") {
        Some(id) => {
            let contact = contact(&visit, id).await?;
            fields.extend(field_of(&contact, &composition));
            Composition::of(&visit, Entries(&fields)).await?
        }
        None => composition,
    };
    show_preview(&visit, &fields, &composition).await
}

pub(super) async fn preview(visit: Visit, posted: Posted) -> Shown {
    let mut fields = posted.fields().to_vec();
    if posted.is_set("plain") {
        for (_, value) in fields.iter_mut().filter(|(name, _)| name == TEXT) {
            *value = value.chars().map(compliance::instead).collect();
        }
    }
    let composition = Composition::of(&visit, Entries(&fields)).await?;
    show_preview(&visit, &fields, &composition).await
}

/// Shows the form without faults: it is not finished yet.
async fn show_preview(
    visit: &Visit,
    fields: &[(String, String)],
    composition: &Composition,
) -> Shown {
    let preview = Preview::of(visit, composition).await?;
    let form = Form::filled(LABELS, fields.to_vec());
    visit.show(&SendPage::of(visit, Entries(fields), form, composition, preview).await?)
}

impl SendPage {
    pub(super) async fn of(
        visit: &Visit,
        entries: Entries<'_>,
        mut form: Form,
        composition: &Composition,
        preview: Preview,
    ) -> Result<Self, Error> {
        let Composition { way, channel, .. } = *composition;
        if entries.text("when").is_none() {
            form = form.with("when", "now");
        }
        if entries.text("channel").is_none() {
            form = form.with("channel", channel.as_str());
        }
        let (contacts, found_nobody) = contacts(visit, entries, composition).await?;
        let email = &visit.person().user().email;
        let is_own_mail = way == Way::Myself && channel == Channel::Email;
        let variable = |name: &String| Choice::new(field_of_variable(name), name.as_str());
        Ok(Self {
            frame: visit.frame(Place::Send).refused(form.has_faults()),
            form,
            ways: Way::ALL.map(|other| way_link(other, composition)).into(),
            way: way.as_str(),
            is_several: way == Way::Several,
            own_email: is_own_mail.then(|| email.clone()),
            recipient_hint: recipient_hint(composition),
            channels: Choice::of_all(Channel::ALL, Channel::as_str),
            templates: templates(visit, composition).await?,
            has_template: composition.template.is_some(),
            has_subject: channel == Channel::Email && composition.template.is_none(),
            variables: composition.names.iter().map(variable).collect(),
            categories: Choice::of_all(Category::ALL, Category::as_str),
            senders: senders(visit, channel).await?,
            contacts,
            found_nobody,
            times: vec![Choice::new("now", "Now"), Choice::new("later", "At a time")],
            zone: visit.formats().zone(),
            is_mail: channel == Channel::Email,
            at: composition.at.map(|at| visit.formats().time(at).text),
            preview,
            progress: None,
        })
    }
}

/// Returns the link to the page for other recipients.
fn way_link(way: Way, composition: &Composition) -> Entry {
    let query = Query::parse(&format!("channel={}", composition.channel));
    Entry {
        href: query.address(PATH, "to", way.as_str()),
        label: way.label(),
        is_current: way == composition.way,
    }
}

const fn recipient_hint(composition: &Composition) -> &'static str {
    match (composition.way, composition.channel) {
        (Way::Several, Channel::Email) => "One address on each line, up to 100 people.",
        (Way::Several, Channel::Push) => "One device token on each line, up to 100 devices.",
        (Way::Several, _) => {
            "One phone number on each line, up to 100 people. A list from a spreadsheet can be pasted."
        }
        (Way::Myself, Channel::Push) => "The token of your own device.",
        (_, Channel::Push) => "The token of the device.",
        (_, Channel::Email) => "A mail address.",
        (Way::Myself, _) => "Your own phone number, such as 024 123 4567.",
        (Way::One, _) => {
            "A phone number, such as 024 123 4567. Other countries: + and the calling code."
        }
    }
}

async fn contact(visit: &Visit, id: &str) -> Result<Contact, Error> {
    let id: Id<Contact> = id.parse().map_err(|_| Error::NotFound("contact"))?;
    Ok(visit.api().contacts.get(&visit.caller, id).await?.contact)
}

/// Returns the field with the address of a contact; `None` if it has none on the channel.
fn field_of(contact: &Contact, composition: &Composition) -> Option<(String, String)> {
    let address = contact.address(composition.channel)?.to_string();
    let name = if composition.way == Way::Several { CHOSEN } else { RECIPIENT };
    Some((name.to_owned(), address))
}

/// Returns the contacts that a search finds and those that are chosen, and true if it finds nobody.
async fn contacts(
    visit: &Visit,
    entries: Entries<'_>,
    composition: &Composition,
) -> Result<(Vec<Choice>, bool), Error> {
    if composition.way != Way::Several {
        return Ok((Vec::new(), false));
    }
    let (formats, mut choices) = (visit.formats(), Vec::new());
    let search = entries.text(FIND).map(str::to_owned);
    let is_search = search.is_some();
    if is_search {
        let filter = ContactFilter { search, ..ContactFilter::default() };
        match visit.api().contacts.part(&visit.caller, &filter, None, FOUND).await {
            Ok(part) => choices.extend(
                part.contacts
                    .iter()
                    .filter_map(|it| choice(&it.contact, composition.channel, &formats)),
            ),
            // A search text that is too long finds nobody.
            Err(Error::Invalid(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let found_nobody = is_search && choices.is_empty();
    for address in entries.all(CHOSEN) {
        if choices.iter().all(|choice| choice.value != address) {
            choices.push(Choice::new(address, formats.phone(address)));
        }
    }
    Ok((choices, found_nobody))
}

fn choice(contact: &Contact, channel: Channel, formats: &Formats) -> Option<Choice> {
    let address = contact.address(channel)?.as_str();
    let words = name_of(contact).into_iter().chain([formats.phone(address)]);
    Some(Choice::new(address, words.collect::<Vec<_>>().join(" ")))
}

/// Returns the approved templates of the channel, newest first.
async fn templates(visit: &Visit, composition: &Composition) -> Result<Vec<Choice>, Error> {
    let page = Page::of_short_list(None, None)?;
    let usable = TemplateFilter {
        status: Some(TemplateStatus::Approved),
        channel: Some(composition.channel.into()),
        ..TemplateFilter::default()
    };
    let newest = visit.api().templates.page(&visit.caller, usable, page).await?.items;
    let mut choices = vec![Choice::new("", "No template: write a text")];
    for template in newest {
        choices.push(Choice::new(template.id.to_string(), template.name));
    }
    if let Some(chosen) = &composition.template {
        let id = chosen.id.to_string();
        if choices.iter().all(|choice| choice.value != id) {
            choices.push(Choice::new(id, chosen.name.as_str()));
        }
    }
    Ok(choices)
}

/// Returns the approved sender names of a channel; none if it has no sender names.
async fn senders(visit: &Visit, channel: Channel) -> Result<Vec<Choice>, Error> {
    if !channel.takes_phone_numbers() {
        return Ok(Vec::new());
    }
    let page = Page::of_short_list(None, None)?;
    let approved = Some(SenderNameStatus::Approved);
    let names = visit.api().sender_names.page(&visit.caller, approved, page).await?.items;
    let mut choices: Vec<Choice> = Vec::new();
    for name in names.into_iter().filter(|name| name.channel == channel) {
        let sender = name.sender.as_str();
        // A name is approved for each country by itself.
        if choices.iter().all(|choice| choice.value != sender) {
            choices.push(Choice::new(sender, sender));
        }
    }
    if !choices.is_empty() {
        choices.insert(0, Choice::new("", "The name of the provider"));
    }
    Ok(choices)
}
