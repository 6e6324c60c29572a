//! Previews of templates: the message as people get it, its size and price, and what the check finds.

use std::collections::BTreeMap;

use domain::content::compliance::{CheckedMessage, Issue, MessageCheck};
use domain::content::template::{Template, TemplateChannel, TemplateContent, TemplateText};
use domain::messaging::message::Rendering;
use domain::shared::channel::Channel;
use domain::shared::fault::Faults;
use domain::shared::sms::{Encoding, Segmentation};
use domain::shared::text_format::TextFormat;
use usecases::Error;

use super::{fields::VALUE, written};
use crate::formats::count;
use crate::frame::{Visit, capitalized};
use crate::passages::{Piece, pieces};
use crate::words::{InWords, Words};

/// Preview of a template. The template `templates/preview.html` reads it.
pub(super) struct Preview {
    pub(super) sender: String,
    pub(super) is_mail: bool,
    pub(super) is_whatsapp: bool,
    pub(super) subject: Option<String>,
    pub(super) body: String,
    /// True if the text is HTML, which is shown as it is written.
    pub(super) is_html: bool,
    /// Size and price in words.
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) examples: Vec<Example>,
    /// State of the template, as soon as it is saved.
    pub(super) status: Words,
    pub(super) issues: Vec<Finding>,
    /// The text as it is written, if the check found passages of it.
    pub(super) passages: Vec<Piece>,
}

/// Placeholder with the value that the preview shows for it.
pub(super) struct Example {
    pub(super) placeholder: String,
    pub(super) field: String,
    pub(super) value: String,
}

/// Issue as the page shows it.
pub(crate) struct Finding {
    pub(crate) severity: Words,
    pub(crate) text: String,
    pub(crate) remedy: String,
    pub(crate) found: Option<String>,
}

impl Preview {
    /// Returns the preview of a template with these example values.
    pub(super) async fn of(
        visit: &Visit,
        template: &Template,
        values: BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let content = &template.content;
        let written = written(content.subject.as_deref(), &content.body);
        let check = MessageCheck {
            message: Some(written.clone()),
            category: Some(content.category),
            // Texts inside an application are no text messages either.
            channel: Some(channel_of(content).unwrap_or(Channel::Push)),
            sender: None,
            // Nothing is sent there, so it has no price.
            country: channel_of(content).map(|_| content.country),
        };
        let compliance = &visit.api().compliance;
        let checked = compliance.check(&visit.caller, &check, Faults::default()).await?;
        let filled = Rendering::of(&TemplateText::from(template), None, values.clone())?;
        let issues = &checked.assessment.issues;
        let has_passages = issues.iter().any(|issue| issue.position.is_some());
        Ok(Self {
            sender: visit.organization.name.clone(),
            is_mail: channel_of(content) == Some(Channel::Email),
            is_whatsapp: channel_of(content) == Some(Channel::WhatsApp),
            facts: facts(visit, &checked, filled.segmentation),
            subject: filled.subject,
            body: filled.body,
            is_html: is_html(content),
            examples: examples(&content.variables, values),
            status: template.status.words(),
            issues: issues.iter().map(finding).collect(),
            passages: if has_passages { pieces(&written, issues) } else { Vec::new() },
        })
    }
}

fn channel_of(content: &TemplateContent) -> Option<Channel> {
    match content.channel {
        TemplateChannel::Messages(channel) => Some(channel),
        TemplateChannel::InApp => None,
    }
}

fn is_html(content: &TemplateContent) -> bool {
    channel_of(content).is_some_and(|channel| {
        TextFormat::of(channel, content.format, &content.body) == TextFormat::Html
    })
}

fn facts(
    visit: &Visit,
    checked: &CheckedMessage,
    size: Option<Segmentation>,
) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(size) = size {
        facts.push(("Size", size_in_words(size)));
    }
    if let Some(cost) = checked.estimated_cost {
        facts.push(("Price", format!("about {} for each person", visit.formats().money(cost))));
    }
    facts
}

/// Returns the size of a text message, with the reason for which its parts are short.
fn size_in_words(size: Segmentation) -> String {
    let units = count(u64::try_from(size.units).unwrap_or(u64::MAX));
    let parts = match size.segments {
        1 => "1 text message".to_owned(),
        parts => format!("{} text messages", count(parts.into())),
    };
    match size.encoding {
        Encoding::Gsm7 => format!("{units} characters, charged as {parts}"),
        Encoding::Ucs2 => format!(
            "{units} characters, charged as {parts}: with its special characters, one holds 70 \
             instead of 160"
        ),
    }
}

fn examples(placeholders: &[String], mut values: BTreeMap<String, String>) -> Vec<Example> {
    let examples = placeholders.iter().map(|placeholder| Example {
        placeholder: placeholder.clone(),
        field: format!("{VALUE}{placeholder}"),
        value: values.remove(placeholder).unwrap_or_default(),
    });
    examples.collect()
}

/// Returns an issue as pages show it.
pub(crate) fn finding(issue: &Issue) -> Finding {
    Finding {
        severity: issue.severity.words(),
        text: capitalized(&issue.message),
        remedy: issue.remedy.to_string(),
        found: issue.found.clone(),
    }
}

#[cfg(test)]
mod tests {
    use domain::shared::sms::segment;

    use super::*;

    #[test]
    fn a_size_says_how_many_messages_are_charged_and_why() {
        assert_eq!(size_in_words(segment("Hello")), "5 characters, charged as 1 text message");
        let long = size_in_words(segment(&"a".repeat(161)));
        assert_eq!(long, "161 characters, charged as 2 text messages");
        let dear = size_in_words(segment("Akwaaba ɛ"));
        assert!(dear.starts_with("9 characters, charged as 1 text message: "), "{dear}");
    }
}
