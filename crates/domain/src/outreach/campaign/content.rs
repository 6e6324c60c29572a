//! Content of a campaign.

use crate::{
    content::{
        compliance::{self, Assessment, Sending},
        template::{TemplateText, ValueRules, VendorTemplate},
    },
    shared::{category::Category, text_format::TextFormat},
};

/// A text with placeholders, which the fields of each contact fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignContent {
    /// Category of its template; promotion without one.
    pub category: Category,
    /// Subject line.
    pub subject: Option<String>,
    /// Text.
    pub body: String,
    /// Format of the text; `None` if not specified.
    pub format: Option<TextFormat>,
    /// Name of the template at the vendor.
    pub vendor_template: Option<VendorTemplate>,
    /// Rules about the values that may be filled in.
    pub value_rules: ValueRules,
}

impl CampaignContent {
    /// Returns the content of a campaign with a text of its own.
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

    /// True if its category is that of promotion.
    pub fn is_promotion(&self) -> bool {
        self.category == Category::Marketing
    }

    /// Assesses the risk of the text as promotion: whatever the category of its template, it goes
    /// to many who did not ask for it. Positions count from the subject, which precedes the text on
    /// a line of its own.
    pub fn assess(&self, sending: Sending<'_>) -> Assessment {
        let text = match &self.subject {
            Some(subject) => format!("{subject}\n{}", self.body),
            None => self.body.clone(),
        };
        compliance::assess_sent(&text, Category::Marketing, sending)
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
