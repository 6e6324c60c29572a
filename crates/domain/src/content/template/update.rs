//! Changes to templates.

use std::collections::BTreeSet;

use super::{
    Template, TemplateContent, TemplateStatus, VendorTemplate, VendorTemplateRequest,
    request::{MAX_NAME, TemplateRequest},
};
use crate::shared::{
    category::Category, change::Change, country::Country, fault::Faults, text,
    text_format::TextFormat,
};

/// Changes to a template, not validated yet. Absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateUpdate {
    /// Name for people.
    pub name: Option<String>,
    /// Text with placeholders.
    pub body: Option<String>,
    /// Country of the recipients.
    pub country: Option<Country>,
    /// Language, such as `en`.
    pub language: Option<String>,
    /// Category of its messages.
    pub category: Option<Category>,
    /// Subject line with placeholders.
    pub subject: Change<String>,
    /// Format of the text.
    pub format: Change<TextFormat>,
    /// Names of the placeholders. If absent and the texts change: those of the new texts, unless the
    /// existing names include all of them.
    pub variables: Change<Vec<String>>,
    /// Template that the vendor stores.
    pub vendor_template: Change<VendorTemplateRequest>,
    /// Placeholders with short values.
    pub short_variables: Change<Vec<String>>,
    /// True if values may be long although the category needs approval.
    pub long_variables: Option<bool>,
}

impl TemplateUpdate {
    /// Returns `template` with the changes applied. A changed content gets a new version, and the decision
    /// about the old one no longer counts. Fails with every fault of the changes.
    pub fn apply(self, template: &Template) -> Result<Template, Faults> {
        let mut faults = Faults::default();
        let name = self.name.as_deref().unwrap_or(&template.name);
        let name = faults.take("name", text::line(name, MAX_NAME));
        let content = self.request(&template.content).content();
        let content = content.map_err(|found| faults.merge("", found)).ok();
        let (name, content) = faults.require(name.zip(content))?;
        if content == template.content {
            return Ok(Template { name, ..template.clone() });
        }
        let assessment = content.assess();
        Ok(Template {
            name,
            version: template.version + 1,
            status: TemplateStatus::of_new(&content, &assessment),
            content,
            risk_score: assessment.score,
            issues: assessment.issues,
            comment: None,
            ..template.clone()
        })
    }

    /// Returns the changed content as a request.
    fn request(self, present: &TemplateContent) -> TemplateRequest {
        let mut subject = present.subject.clone();
        self.subject.apply(&mut subject);
        let mut format = present.format;
        self.format.apply(&mut format);
        let mut vendor_template = present.vendor_template.clone().map(Into::into);
        self.vendor_template.apply(&mut vendor_template);
        let body = self.body.unwrap_or_else(|| present.body.clone());
        let variables = match self.variables {
            Change::Set(variables) => variables,
            Change::Keep => {
                kept_variables(present, subject.as_deref(), &body, vendor_template.as_ref())
            }
        };
        let mut short_variables = present.value_rules.short.clone();
        self.short_variables.apply(&mut short_variables);
        let long_variables = self.long_variables.unwrap_or(present.value_rules.allows_long);
        TemplateRequest {
            name: None,
            channel: Some(present.channel),
            body: Some(body),
            country: Some(self.country.unwrap_or(present.country)),
            language: Some(self.language.unwrap_or_else(|| present.language.clone())),
            category: Some(self.category.unwrap_or(present.category)),
            subject,
            format,
            variables,
            vendor_template,
            short_variables,
            long_variables: Some(long_variables),
        }
    }
}

/// Returns the existing names in their order; `None` if they lack a used name, or include one that only the
/// previous texts use.
fn kept_variables(
    present: &TemplateContent,
    subject: Option<&str>,
    body: &str,
    vendor_template: Option<&VendorTemplateRequest>,
) -> Option<Vec<String>> {
    let vendor_template = vendor_template.map(|request| VendorTemplate {
        name: String::new(),
        language: String::new(),
        parameters: request.parameters.clone().unwrap_or_default(),
        button: request.button.clone(),
    });
    let used = TemplateContent::used(subject, body, vendor_template.as_ref());
    let used_before = TemplateContent::used(
        present.subject.as_deref(),
        &present.body,
        present.vendor_template.as_ref(),
    );
    let used_before = BTreeSet::from_iter(&used_before);
    let named = present.variables.iter();
    let kept: BTreeSet<_> =
        named.filter(|name| used.contains(name) || !used_before.contains(name)).collect();
    let is_kept = kept.len() == present.variables.len() && used.iter().all(|it| kept.contains(it));
    is_kept.then(|| present.variables.clone())
}
