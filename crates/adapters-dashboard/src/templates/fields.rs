//! Fields of the form of a template.

use std::collections::BTreeMap;

use domain::{
    content::template::{Template, TemplateChannel, TemplateRequest, TemplateUpdate},
    shared::{category::Category, change::Change, channel::Channel, fault::Faults},
};

use crate::frame::{Form, Labels, Posted};

/// Beginning of the names of the fields with example values.
pub(super) const VALUE: &str = "value.";

pub(super) const LABELS: Labels = &[
    ("name", "Name"),
    ("channel", "Channel"),
    ("category", "Purpose"),
    ("language", "Language"),
    ("subject", "Subject or title"),
    ("body", "Text"),
    ("variables", "Example values"),
];

pub(super) fn blank() -> Form {
    Form::new(LABELS)
        .with("channel", Channel::Sms.as_str())
        .with("category", Category::default().as_str())
        .with("language", "en")
}

pub(super) fn of(template: &Template, name: &str) -> Form {
    let content = &template.content;
    Form::new(LABELS)
        .with("name", name)
        .with("channel", content.channel.as_str())
        .with("category", content.category.as_str())
        .with("language", content.language.as_str())
        .with("subject", content.subject.as_deref().unwrap_or_default())
        .with("body", content.body.as_str())
}

pub(super) fn request(posted: &Posted, faults: &mut Faults) -> TemplateRequest {
    let channel: Option<TemplateChannel> = posted.parsed("channel", faults);
    TemplateRequest {
        name: posted.text("name"),
        channel,
        body: Some(posted.raw("body").to_owned()),
        language: posted.text("language"),
        category: posted.parsed("category", faults),
        subject: posted.text("subject").filter(|_| channel.is_some_and(takes_subject)),
        ..TemplateRequest::default()
    }
}

pub(super) fn update(
    posted: &Posted,
    channel: TemplateChannel,
    faults: &mut Faults,
) -> TemplateUpdate {
    let subject = posted.text("subject");
    TemplateUpdate {
        name: Some(posted.raw("name").to_owned()),
        body: Some(posted.raw("body").to_owned()),
        language: posted.text("language"),
        category: posted.parsed("category", faults),
        subject: if takes_subject(channel) { Change::Set(subject) } else { Change::Keep },
        ..TemplateUpdate::default()
    }
}

pub(super) fn values(posted: &Posted) -> BTreeMap<String, String> {
    let fields = posted.fields().iter().filter(|(_, value)| !value.is_empty());
    fields
        .filter_map(|(name, value)| Some((name.strip_prefix(VALUE)?.to_owned(), value.clone())))
        .collect()
}

/// True if messages of the channel have a subject or a title.
pub(super) fn takes_subject(channel: TemplateChannel) -> bool {
    matches!(channel, TemplateChannel::Messages(Channel::Email | Channel::Push))
}
