//! What a campaign says.

use crate::{
    content::{
        compliance::{self, Assessment},
        template::{TemplateText, ValueRules, VendorTemplate},
    },
    shared::{category::Category, text_format::TextFormat},
};

/// A text with placeholders, which the fields of each contact fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignContent {
    /// What it is about: what its template is about, or promotion.
    pub category: Category,
    /// Its subject line.
    pub subject: Option<String>,
    /// Its text.
    pub body: String,
    /// Its format, if its writer said so.
    pub format: Option<TextFormat>,
    /// What the vendor knows it as.
    pub vendor_template: Option<VendorTemplate>,
    /// Rules about what may be filled in.
    pub value_rules: ValueRules,
}

impl CampaignContent {
    /// That of a campaign with a text of its own.
    pub fn own(subject: Option<String>, body: String) -> Self {
        Self {
            category: Category::Marketing,
            subject,
            body,
            format: None,
            vendor_template: None,
            value_rules: ValueRules::default(),
        }
    }

    /// How risky it is as promotion, and why: whatever its template is about, it goes to many who did
    /// not ask for it. Positions count from the subject, which stands before the text on a line of its
    /// own.
    pub fn assess(&self) -> Assessment {
        let text = match &self.subject {
            Some(subject) => format!("{subject}\n{}", self.body),
            None => self.body.clone(),
        };
        compliance::assess(&text, Category::Marketing)
    }
}

impl From<TemplateText> for CampaignContent {
    fn from(template: TemplateText) -> Self {
        Self {
            category: template.category,
            subject: template.subject,
            body: template.body,
            format: template.format,
            vendor_template: template.vendor_template,
            value_rules: template.value_rules,
        }
    }
}
