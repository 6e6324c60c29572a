//! Templates as somebody changes them.

use std::collections::BTreeSet;

use super::{
    Template, TemplateContent, TemplateStatus, VendorTemplate, VendorTemplateRequest,
    request::{MAX_NAME, TemplateRequest},
};
use crate::{category::Category, change::Change, country::Country, fault::Faults, text};

/// Changes of a template; nothing is checked yet. What is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateUpdate {
    /// What to call it.
    pub name: Option<String>,
    /// Its text.
    pub body: Option<String>,
    /// The country that it is written for.
    pub country: Option<Country>,
    /// Its language.
    pub language: Option<String>,
    /// What it is about.
    pub category: Option<Category>,
    /// Its subject line.
    pub subject: Change<String>,
    /// The names of its placeholders. If it says other texts, and this is absent: those of the texts.
    pub variables: Change<Vec<String>>,
    /// What the vendor knows it as.
    pub vendor_template: Change<VendorTemplateRequest>,
}

impl TemplateUpdate {
    /// `template` with the changes. If they change what it says it has a new version, and whatever
    /// was decided about the old one no longer counts.
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

    /// The whole content that is asked for.
    fn request(self, present: &TemplateContent) -> TemplateRequest {
        let mut subject = present.subject.clone();
        self.subject.apply(&mut subject);
        let mut vendor_template = present.vendor_template.clone().map(Into::into);
        self.vendor_template.apply(&mut vendor_template);
        let body = self.body.unwrap_or_else(|| present.body.clone());
        let variables = match self.variables {
            Change::Set(variables) => variables,
            Change::Keep => {
                kept_variables(present, subject.as_deref(), &body, vendor_template.as_ref())
            }
        };
        TemplateRequest {
            name: None,
            channel: Some(present.channel),
            body: Some(body),
            country: Some(self.country.unwrap_or(present.country)),
            language: Some(self.language.unwrap_or_else(|| present.language.clone())),
            category: Some(self.category.unwrap_or(present.category)),
            subject,
            variables,
            vendor_template,
        }
    }
}

/// The present names in their order, as long as they are those that are used.
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
    let is_same = BTreeSet::from_iter(&used) == BTreeSet::from_iter(&present.variables);
    is_same.then(|| present.variables.clone())
}
