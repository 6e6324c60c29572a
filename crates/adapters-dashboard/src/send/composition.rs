//! Messages as they are written in the form.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    content::template::{Template, TemplateChannel, TemplateText},
    identity::permission::Permission,
    messaging::message::{MessageRequest, Rendering, checked_schedule},
    shared::{category::Category, channel::Channel, fault::Faults, id::Id, placeholder},
};
use usecases::{Error, messaging::messages::MAX_BULK};

use super::recipients::{Recipient, distinct, pasted};
use crate::formats::Formats;
use crate::frame::{Labels, Visit};

pub(super) const CHOSEN: &str = "chosen";
pub(super) const FIND: &str = "find";
pub(super) const RECIPIENT: &str = "recipient";
pub(super) const RECIPIENTS: &str = "recipients";
pub(super) const TEXT: &str = "text";
/// Beginning of the name of a field for a placeholder.
const VARIABLE: &str = "variable.";
/// Maximum number of placeholders that have a field.
const MAX_FIELDS: usize = 50;

pub(super) const LABELS: Labels = &[
    ("channel", "Channel"),
    (RECIPIENT, "To"),
    (RECIPIENTS, "To"),
    (FIND, "Find contacts"),
    ("template", "Template"),
    ("subject", "Subject"),
    (TEXT, "Text"),
    ("category", "Purpose"),
    ("sender", "Sender name"),
    ("at", "Time"),
];

domain::closed_list! {
    /// Choice of the people who get a message.
    pub(super) enum Way {
        One = "one",
        Several = "several",
        Myself = "myself",
    }
}

impl Way {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::One => "One person",
            Self::Several => "Several people",
            Self::Myself => "Myself",
        }
    }

    /// Name of the field of the recipients.
    pub(super) const fn field(self) -> &'static str {
        match self {
            Self::One | Self::Myself => RECIPIENT,
            Self::Several => RECIPIENTS,
        }
    }

    fn of(name: Option<&str>) -> Self {
        let named = Self::ALL.into_iter().find(|way| Some(way.as_str()) == name);
        named.unwrap_or(Self::One)
    }
}

/// Fields of the form, or of the address of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries<'e>(pub(super) &'e [(String, String)]);

impl<'e> Entries<'e> {
    /// Returns a field as it was written, `""` if it is missing.
    fn raw(self, name: &str) -> &'e str {
        let field = self.0.iter().find(|(known, _)| known == name);
        field.map_or("", |(_, value)| value)
    }

    /// Returns a field without blanks around it; `None` if it is missing or blank.
    pub(super) fn text(self, name: &str) -> Option<&'e str> {
        Some(self.raw(name).trim()).filter(|text| !text.is_empty())
    }

    /// Returns all values of a field that are not blank.
    pub(super) fn all(self, name: &str) -> Vec<&'e str> {
        let fields = self.0.iter().filter(|(known, _)| known == name);
        fields.map(|(_, value)| value.trim()).filter(|value| !value.is_empty()).collect()
    }
}

/// Sentence about a field, with the field's name; the name of the form as a whole is empty.
pub(super) type FieldFault = (String, String);

pub(super) struct Composition {
    pub(super) way: Way,
    pub(super) channel: Channel,
    pub(super) recipients: Vec<Recipient>,
    pub(super) template: Option<Template>,
    /// Names of the placeholders of the text.
    pub(super) names: Vec<String>,
    pub(super) category: Category,
    pub(super) sender: Option<String>,
    /// Time at which they go; `None` if they go at once.
    pub(super) at: Option<DateTime<Utc>>,
    /// Faults because of which nothing can be sent yet.
    pub(super) faults: Vec<FieldFault>,
    subject: Option<String>,
    text: String,
    values: BTreeMap<String, String>,
}

impl Composition {
    /// Reads the fields. A missing value is a fault; the rest is still of use for a preview. Fails if the
    /// visitor may not send messages.
    pub(super) async fn of(visit: &Visit, entries: Entries<'_>) -> Result<Self, Error> {
        visit.caller.authorize(Permission::SendMessages)?;
        let mut faults = Vec::new();
        let template = template(visit, entries, &mut faults).await?;
        let channel = channel(entries, template.as_ref(), &mut faults);
        // The page of another channel has other templates.
        let template = template.filter(|it| it.content.channel == channel.into());
        let way = Way::of(entries.text("to"));
        let at = time(entries, &visit.formats(), &mut faults);
        let category = category(entries, template.as_ref(), &mut faults);
        let sender = entries.text("sender").filter(|_| channel.takes_phone_numbers());
        let mut composition = Self {
            way,
            channel,
            recipients: recipients(visit, entries, way, channel),
            template,
            names: Vec::new(),
            category,
            sender: sender.map(str::to_owned),
            at,
            faults,
            subject: entries.text("subject").map(str::to_owned),
            text: entries.text(TEXT).unwrap_or_default().to_owned(),
            values: BTreeMap::new(),
        };
        composition.names = composition.placeholders();
        composition.fill(entries);
        composition.check();
        Ok(composition)
    }

    /// Returns the messages, in the order of the recipients.
    pub(super) fn requests(&self) -> Vec<MessageRequest> {
        let values = self.shown_values();
        let request = |recipient: &Recipient| MessageRequest {
            channel: Some(self.channel),
            to: Some(recipient.written.clone()),
            // A template's text takes precedence, but there must be one.
            body: Some(self.text.clone()),
            subject: self.own_subject().map(str::to_owned),
            sender: self.sender.clone(),
            template: self.template.as_ref().map(|template| template.id),
            variables: values.clone(),
            category: Some(self.category),
            scheduled_at: self.at,
            ..MessageRequest::default()
        };
        self.recipients.iter().take(MAX_BULK).map(request).collect()
    }

    /// Returns subject and text as the recipients see them. Placeholders without a value stay.
    pub(super) fn shown(&self) -> (Option<String>, String) {
        if let Some(template) = &self.template {
            let rendered = render(template, self.values.clone());
            return match rendered {
                Some(Rendering { subject, body, .. }) => (subject, body),
                None => (template.content.subject.clone(), template.content.body.clone()),
            };
        }
        let values = self.shown_values();
        let fill = |text: &str| {
            let longest = self.channel.max_characters();
            placeholder::fill(text, &values, longest).unwrap_or_else(|_| text.to_owned())
        };
        (self.own_subject().map(fill), fill(&self.text))
    }

    /// Returns what is wrong with a message, about the fields of the form.
    pub(super) fn sentences(&self, faults: &Faults) -> Vec<FieldFault> {
        let of_fields = faults.fields.iter().flat_map(|(path, texts)| {
            let (field, label) = self.field_of(path);
            texts.iter().map(move |text| (field.clone(), format!("{label} {text}")))
        });
        let of_all = faults.form.iter().map(|text| (String::new(), format!("The text {text}")));
        of_fields.chain(of_all).collect()
    }

    fn field_of<'p>(&self, path: &'p str) -> (String, &'p str) {
        if let Some(name) = path.strip_prefix("variables.") {
            return (field_of_variable(name), name);
        }
        let (field, label) = match path {
            "to" => (self.way.field(), "To"),
            "body" => (TEXT, "Text"),
            "subject" => ("subject", "Subject"),
            "templateId" | "variables" if self.template.is_some() => ("template", "Template"),
            "variables" => (TEXT, "Text"),
            "senderId" => ("sender", "Sender name"),
            "scheduledAt" => ("at", "Time"),
            "category" => ("category", "Purpose"),
            other => ("", other),
        };
        (field.to_owned(), label)
    }

    fn own_subject(&self) -> Option<&str> {
        let has_own = self.channel == Channel::Email && self.template.is_none();
        self.subject.as_deref().filter(|_| has_own)
    }

    fn placeholders(&self) -> Vec<String> {
        let names = match &self.template {
            Some(template) => {
                render(template, BTreeMap::new()).map(|it| it.missing).unwrap_or_default()
            }
            None => {
                let subject = self.own_subject().unwrap_or_default();
                let all = format!("{subject}\n{}", self.text);
                placeholder::names(&all).into_iter().map(str::to_owned).collect()
            }
        };
        names.into_iter().take(MAX_FIELDS).collect()
    }

    /// Reads the values of the placeholders.
    fn fill(&mut self, entries: Entries<'_>) {
        for name in &self.names {
            let field = field_of_variable(name);
            match entries.text(&field) {
                Some(value) => {
                    self.values.insert(name.clone(), value.to_owned());
                }
                None => self.faults.push((field, format!("{name} is required"))),
            }
        }
    }

    fn check(&mut self) {
        let field = self.way.field();
        if self.recipients.is_empty() {
            self.faults.push((field.to_owned(), "To is required".to_owned()));
        } else if self.recipients.len() > MAX_BULK {
            let sentence = format!(
                "To has more than {MAX_BULK} people, the most at a time. A campaign reaches more."
            );
            self.faults.push((field.to_owned(), sentence));
        }
        if self.template.is_none() && self.text.is_empty() {
            self.faults.push((TEXT.to_owned(), "Text is required".to_owned()));
        }
    }

    /// Returns the values, with the placeholder itself where there is none.
    fn shown_values(&self) -> BTreeMap<String, String> {
        let own = |name: &String| (name.clone(), format!("{{{{{name}}}}}"));
        let mut values: BTreeMap<_, _> = self.names.iter().map(own).collect();
        values.extend(self.values.clone());
        values
    }
}

/// Name of the field for the value of a placeholder.
pub(super) fn field_of_variable(name: &str) -> String {
    format!("{VARIABLE}{name}")
}

/// Returns the channel of the messages that are made of a template; `None` if nothing is sent.
const fn channel_of(template: &Template) -> Option<Channel> {
    match template.content.channel {
        TemplateChannel::Messages(channel) => Some(channel),
        TemplateChannel::InApp => None,
    }
}

fn render(template: &Template, values: BTreeMap<String, String>) -> Option<Rendering> {
    Rendering::of(&TemplateText::from(template), None, values).ok()
}

async fn template(
    visit: &Visit,
    entries: Entries<'_>,
    faults: &mut Vec<FieldFault>,
) -> Result<Option<Template>, Error> {
    let Some(named) = entries.text("template") else { return Ok(None) };
    let found = match named.parse::<Id<Template>>() {
        Ok(id) => visit.api().templates.get(&visit.caller, id).await,
        Err(_) => Err(Error::NotFound("template")),
    };
    match found {
        Ok((template, _)) => Ok(Some(template)),
        Err(Error::NotFound(_)) => {
            let sentence = "Template is gone: choose another one".to_owned();
            faults.push(("template".to_owned(), sentence));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns the channel that is named, or else that of the template.
fn channel(
    entries: Entries<'_>,
    template: Option<&Template>,
    faults: &mut Vec<FieldFault>,
) -> Channel {
    let own = template.and_then(channel_of).unwrap_or(Channel::Sms);
    let Some(named) = entries.text("channel") else { return own };
    named.parse::<Channel>().unwrap_or_else(|fault| {
        faults.push(("channel".to_owned(), format!("Channel {fault}")));
        own
    })
}

fn category(
    entries: Entries<'_>,
    template: Option<&Template>,
    faults: &mut Vec<FieldFault>,
) -> Category {
    if let Some(template) = template {
        return template.content.category;
    }
    let Some(named) = entries.text("category") else { return Category::default() };
    named.parse::<Category>().unwrap_or_else(|fault| {
        faults.push(("category".to_owned(), format!("Purpose {fault}")));
        Category::default()
    })
}

/// Returns the time at which the messages go; `None` if they go at once.
fn time(
    entries: Entries<'_>,
    formats: &Formats,
    faults: &mut Vec<FieldFault>,
) -> Option<DateTime<Utc>> {
    if entries.text("when") != Some("later") {
        return None;
    }
    let written = entries.text("at").and_then(|text| formats.parse_time(text));
    let at = written.ok_or_else(|| "is required: choose a day and a time".to_owned());
    match at.and_then(|at| checked_schedule(at, false, formats.now())) {
        Ok(at) => Some(at),
        Err(fault) => {
            faults.push(("at".to_owned(), format!("Time {fault}")));
            None
        }
    }
}

fn recipients(visit: &Visit, entries: Entries<'_>, way: Way, channel: Channel) -> Vec<Recipient> {
    match way {
        Way::Myself if channel == Channel::Email => {
            vec![Recipient::chosen(&visit.person().user().email)]
        }
        Way::One | Way::Myself => {
            entries.text(RECIPIENT).map(Recipient::chosen).into_iter().collect()
        }
        Way::Several => {
            let mut all = pasted(entries.raw(RECIPIENTS));
            all.extend(entries.all(CHOSEN).into_iter().map(Recipient::chosen));
            distinct(channel, all)
        }
    }
}
