//! Requests to create templates.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{
    Template, TemplateChannel, TemplateContent, TemplateStatus, ValueRules,
    vendor::{MAX_LANGUAGE, VendorTemplate, VendorTemplateRequest},
};
use crate::{
    identity::{organization::Organization, user::User},
    shared::{
        category::Category,
        channel::Channel,
        country::Country,
        fault::Faults,
        id::Id,
        placeholder, text,
        text_format::{self, TextFormat},
    },
};

/// Request to create a template, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateRequest {
    /// Name for people. Required.
    pub name: Option<String>,
    /// Channel of the template. Required.
    pub channel: Option<TemplateChannel>,
    /// Text with placeholders. Required.
    pub body: Option<String>,
    /// Country of the recipients; Ghana if absent.
    pub country: Option<Country>,
    /// Language; `en` if absent.
    pub language: Option<String>,
    /// Category of its messages; the default category if absent.
    pub category: Option<Category>,
    /// Subject line with placeholders.
    pub subject: Option<String>,
    /// Format of the text, for mails only; detected from the text if absent.
    pub format: Option<TextFormat>,
    /// Names of the placeholders, including unused ones; those of the texts if absent.
    pub variables: Option<Vec<String>>,
    /// Template that the vendor stores.
    pub vendor_template: Option<VendorTemplateRequest>,
    /// Placeholders with short values; all of a text with a code if absent.
    pub short_variables: Option<Vec<String>>,
    /// True if values may be long although the category needs approval.
    pub long_variables: Option<bool>,
}

/// The longest name, in characters.
pub(super) const MAX_NAME: usize = 100;
/// The longest text, in characters, on any channel: lists show many.
const MAX_BODY: usize = 100_000;
/// Maximum number of placeholders.
const MAX_VARIABLES: usize = 100;
/// The longest name of a placeholder, in characters.
const MAX_VARIABLE: usize = 64;
const DEFAULT_LANGUAGE: &str = "en";

impl TemplateRequest {
    /// Returns the template that `author` requests. Fails with every fault of the request.
    pub fn template(
        mut self,
        organization: Id<Organization>,
        author: Id<User>,
        now: DateTime<Utc>,
    ) -> Result<Template, Faults> {
        let mut faults = Faults::default();
        let name = self.name.take().ok_or_else(|| "is required".to_owned());
        let name = name.and_then(|name| text::line(&name, MAX_NAME));
        let name = faults.take("name", name);
        let content = self.content().map_err(|found| faults.merge("", found)).ok();
        let (name, content) = faults.require(name.zip(content))?;
        let assessment = content.assess();
        Ok(Template {
            id: Id::new_in(now, organization),
            organization,
            name,
            version: 1,
            status: TemplateStatus::of_new(&content, &assessment),
            content,
            risk_score: assessment.score,
            issues: assessment.issues,
            comment: None,
            created_by: Some(author),
            created_at: now,
        })
    }

    /// Returns the requested content. Fails with its faults.
    pub(super) fn content(self) -> Result<TemplateContent, Faults> {
        let mut faults = Faults::default();
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        let longest = self.channel.map_or(MAX_BODY, TemplateChannel::max_characters).min(MAX_BODY);
        let body = self.body.ok_or_else(|| "is required".to_owned());
        let body = body.and_then(|body| text::lines(text::with_plain_line_breaks(body), longest));
        let body = faults.take("body", body);
        let is_mail = self.channel.is_none_or(|channel| channel == Channel::Email.into());
        text_format::check(self.format, is_mail, &mut faults);
        let subject = self.subject.map(|subject| text::line(&subject, text::MAX_SUBJECT));
        let subject = subject.and_then(|subject| faults.take("subject", subject));
        let language = checked_language(self.language.as_deref().unwrap_or(DEFAULT_LANGUAGE));
        let language = faults.take("language", language).unwrap_or_default();
        let vendor_template =
            checked_vendor_template(self.vendor_template, self.channel, &language, &mut faults);
        let Some((channel, body)) = self.channel.zip(body) else { return Err(faults) };
        let used = TemplateContent::used(subject.as_deref(), &body, vendor_template.as_ref());
        let short = checked_short(self.short_variables, &mut faults);
        let variables = checked_variables(self.variables, used, &mut faults);
        let value_rules =
            ValueRules { short, allows_long: self.long_variables.unwrap_or_default() };
        faults.or(TemplateContent {
            channel,
            category: self.category.unwrap_or_default(),
            country: self.country.unwrap_or(Country::GH),
            language,
            subject,
            body,
            format: self.format,
            variables,
            vendor_template,
            value_rules,
        })
    }
}

fn checked_language(language: &str) -> Result<String, String> {
    let language = text::line(language, MAX_LANGUAGE)?;
    let is_code = language.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if is_code { Ok(language) } else { Err("must be the code of a language, such as en".into()) }
}

fn checked_vendor_template(
    request: Option<VendorTemplateRequest>,
    channel: Option<TemplateChannel>,
    language: &str,
    faults: &mut Faults,
) -> Option<VendorTemplate> {
    let request = request?;
    if channel.is_some_and(|channel| channel != Channel::WhatsApp.into()) {
        faults.add("vendorTemplate", "is only for the channel WHATSAPP");
        return None;
    }
    request.checked(language).map_err(|found| faults.merge("vendorTemplate", found)).ok()
}

/// Validates the names of short placeholders. Names that the text does not use are allowed, as it may have
/// changed.
fn checked_short(given: Option<Vec<String>>, faults: &mut Faults) -> Option<Vec<String>> {
    let given = given?;
    if given.len() > MAX_VARIABLES {
        faults.add("shortVariables", format!("must have at most {MAX_VARIABLES} items"));
        return None;
    }
    for (at, name) in given.iter().enumerate() {
        if !placeholder::is_name(name) || name.len() > MAX_VARIABLE {
            let about = "must be the name of a placeholder, without braces";
            faults.add(format!("shortVariables.{at}"), about);
        }
    }
    Some(given)
}

/// Validates that the given names include all used ones. Returns the used ones if none are given.
fn checked_variables(
    given: Option<Vec<String>>,
    used: Vec<String>,
    faults: &mut Faults,
) -> Vec<String> {
    if used.len() > MAX_VARIABLES {
        faults.add("body", format!("must have at most {MAX_VARIABLES} placeholders"));
        return used;
    }
    for name in used.iter().filter(|name| name.len() > MAX_VARIABLE) {
        let about =
            format!("has the placeholder {{{{{name}}}}} of more than {MAX_VARIABLE} characters");
        faults.add("body", about);
    }
    let Some(given) = given else { return used };
    if given.len() > MAX_VARIABLES {
        faults.add("variables", format!("must have at most {MAX_VARIABLES} items"));
        return used;
    }
    let mut known = BTreeSet::new();
    for (at, name) in given.iter().enumerate() {
        let path = format!("variables.{at}");
        if !placeholder::is_name(name) {
            faults.add(path, "must be a name of letters, digits, `_`, `.` and `-`");
        } else if name.len() > MAX_VARIABLE {
            faults.add(path, format!("must have at most {MAX_VARIABLE} characters"));
        } else if !known.insert(name) {
            faults.add(path, "is named twice");
        }
    }
    for name in used.iter().filter(|name| !given.contains(name)) {
        faults.add("variables", format!("must name {{{{{name}}}}}, which this template uses"));
    }
    given
}
