//! Filled texts of a message: values in the place of placeholders.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Draft, MaskedTexts, MessageRequest};
use crate::{
    content::template::{FilledTemplate, TemplateText},
    shared::{
        category::Category,
        channel::Channel,
        fault::Faults,
        placeholder, text,
        text_format::{self, TextFormat},
    },
};

/// Maximum length of the value of a variable, in characters.
const MAX_VALUE: usize = 10_000;
/// Maximum total length of the values of a message, in characters.
const MAX_VALUES: usize = 100_000;
/// Maximum size of the filled texts of all messages of a request, in bytes.
pub const MAX_FILLED_BYTES: usize = 4 << 20;

pub(super) struct Texts {
    pub(super) subject: Option<String>,
    pub(super) body: String,
    pub(super) format: TextFormat,
    pub(super) masked: Option<MaskedTexts>,
    pub(super) vendor_template: Option<FilledTemplate>,
}

impl MessageRequest {
    /// Fills the texts of the message, unless values are too long.
    pub(super) fn texts(
        &self,
        template: Option<&TemplateText>,
        category: Category,
        faults: &mut Faults,
    ) -> Option<Texts> {
        if !self.has_short_values(template, faults) {
            return None;
        }
        self.filled(template, category, faults)
    }

    /// True if the values are short enough to be copied into texts. Values that the template does not
    /// allow are faults.
    pub(super) fn has_short_values(
        &self,
        template: Option<&TemplateText>,
        faults: &mut Faults,
    ) -> bool {
        if let Err(found) = check_values(&self.variables) {
            faults.merge("", found);
            return false;
        }
        let allowed = template
            .map_or(Ok(()), |it| it.value_rules.check(it.category, it.names(), &self.variables));
        if let Err(found) = allowed {
            faults.merge("", found);
        }
        true
    }

    /// Fills the texts of the message with values that are short enough.
    pub(super) fn filled(
        &self,
        template: Option<&TemplateText>,
        category: Category,
        faults: &mut Faults,
    ) -> Option<Texts> {
        let values = with_plain_line_breaks(&self.variables);
        let format = self.format(template, faults);
        let body = self.body(template, &format.escaped(&values), faults);
        let subject = self.subject(template, &values, faults);
        let vendor_template = self.vendor_template(template, faults);
        let masked = (category == Category::Otp).then(|| self.masked(template));
        Some(Texts { body: body?, format, masked, subject, vendor_template })
    }

    /// Returns the texts with masks in the place of codes.
    fn masked(&self, template: Option<&TemplateText>) -> MaskedTexts {
        let own = (self.subject.as_deref(), self.body.as_deref().unwrap_or_default());
        let (subject, body) = template.map_or(own, |template| {
            (template.subject.as_deref().or(own.0), template.body.as_str())
        });
        MaskedTexts::of(subject, &plain(body))
    }

    /// Returns the format of the text. Values that are filled in later do not affect it.
    fn format(&self, template: Option<&TemplateText>, faults: &mut Faults) -> TextFormat {
        let Some(channel) = self.channel else { return TextFormat::Text };
        text_format::check(self.format, channel == Channel::Email, faults);
        let (named, text) = match template {
            Some(template) => (template.format.or(self.format), Some(&template.body)),
            None => (self.format, self.body.as_ref()),
        };
        TextFormat::of(channel, named, text.map_or("", String::as_str))
    }

    fn body(
        &self,
        template: Option<&TemplateText>,
        values: &BTreeMap<String, String>,
        faults: &mut Faults,
    ) -> Option<String> {
        let (path, text) = match (template, &self.body) {
            (Some(template), _) => ("variables", &template.body),
            (None, Some(body)) => ("body", body),
            (None, None) => {
                faults.add("body", "is required");
                return None;
            }
        };
        let longest = match (self.channel, template) {
            (None, Some(template)) => template.channel.max_characters(),
            (channel, _) => channel.unwrap_or(Channel::Email).max_characters(),
        };
        let text = plain(text);
        let text = faults.take(path, placeholder::fill(&text, values, longest))?;
        faults.take(path, text::lines(text, longest))
    }

    fn subject(
        &self,
        template: Option<&TemplateText>,
        values: &BTreeMap<String, String>,
        faults: &mut Faults,
    ) -> Option<String> {
        let (path, text) = match (template.and_then(|it| it.subject.as_ref()), &self.subject) {
            (Some(subject), _) => ("variables", subject),
            (None, subject) => ("subject", subject.as_ref()?),
        };
        let values = on_one_line(values);
        let text = faults.take(path, placeholder::fill(text, &values, text::MAX_SUBJECT))?;
        if text.contains(char::is_control) {
            faults.add(path, "must be a single line without control characters");
        }
        faults.take(path, text::lines(text, text::MAX_SUBJECT))
    }

    fn vendor_template(
        &self,
        template: Option<&TemplateText>,
        faults: &mut Faults,
    ) -> Option<FilledTemplate> {
        let filled = template?.vendor_template.as_ref()?.fill(&self.variables);
        filled.map_err(|found| faults.merge("", found)).ok()
    }
}

impl Draft {
    /// Size of the filled texts, in bytes.
    pub fn filled_bytes(&self) -> usize {
        let vendors = self.vendor_template.iter().flat_map(|it| it.values.iter().chain(&it.button));
        let texts = vendors.chain(&self.subject).chain([&self.body]);
        texts.map(String::len).sum()
    }
}

/// Checks that values are short enough to be copied into texts.
fn check_values(variables: &BTreeMap<String, String>) -> Result<(), Faults> {
    let mut faults = Faults::default();
    let mut sum = 0;
    for (name, value) in variables {
        let length = value.chars().count();
        if length > MAX_VALUE {
            let about = format!("must have at most {MAX_VALUE} characters");
            faults.add(format!("variables.{name}"), about);
        }
        sum += length;
    }
    if sum > MAX_VALUES {
        let about = format!("must have values of at most {MAX_VALUES} characters altogether");
        faults.add("variables", about);
    }
    faults.or(())
}

/// Returns the values with lines that end with LF, so that the filled text is counted as it is
/// sent.
fn with_plain_line_breaks(
    variables: &BTreeMap<String, String>,
) -> Cow<'_, BTreeMap<String, String>> {
    if !variables.values().any(|value| value.contains('\r')) {
        return Cow::Borrowed(variables);
    }
    let values = variables.iter().map(|(name, value)| (name.clone(), plain(value).into_owned()));
    Cow::Owned(values.collect())
}

/// Returns the values without line breaks, because a subject is a single line.
fn on_one_line(values: &BTreeMap<String, String>) -> Cow<'_, BTreeMap<String, String>> {
    if !values.values().any(|value| value.contains('\n')) {
        return Cow::Borrowed(values);
    }
    let values = values.iter().map(|(name, value)| (name.clone(), value.replace('\n', " ")));
    Cow::Owned(values.collect())
}

fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text::with_plain_line_breaks(text.to_owned()))
    } else {
        Cow::Borrowed(text)
    }
}
