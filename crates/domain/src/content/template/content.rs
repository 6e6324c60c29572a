//! What a template says.

use std::collections::BTreeSet;

use super::{channel::TemplateChannel, value_rules::ValueRules, vendor::VendorTemplate};
use crate::{
    content::compliance::{self, Assessment},
    shared::{category::Category, country::Country, placeholder, text_format::TextFormat},
};

/// All that is sent with a template, or decides how: an approval holds for exactly this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateContent {
    /// What it is written for.
    pub channel: TemplateChannel,
    /// What it is about.
    pub category: Category,
    /// The country that it is written for.
    pub country: Country,
    /// Its language, such as `en`.
    pub language: String,
    /// Its subject line, with placeholders.
    pub subject: Option<String>,
    /// Its text, with placeholders.
    pub body: String,
    /// Its format, if its writer said so.
    pub format: Option<TextFormat>,
    /// The names of its placeholders.
    pub variables: Vec<String>,
    /// What the vendor knows it as.
    pub vendor_template: Option<VendorTemplate>,
    /// Rules about what may be filled in.
    pub value_rules: ValueRules,
}

impl TemplateContent {
    /// How risky it is, and why. Positions count from the subject, which stands before the text on a
    /// line of its own.
    pub fn assess(&self) -> Assessment {
        match &self.subject {
            Some(subject) => {
                compliance::assess(&format!("{subject}\n{}", self.body), self.category)
            }
            None => compliance::assess(&self.body, self.category),
        }
    }

    /// The names of the placeholders that are used, in the order in which they first appear.
    pub(super) fn used(
        subject: Option<&str>,
        body: &str,
        vendor_template: Option<&VendorTemplate>,
    ) -> Vec<String> {
        let mut used = Vec::new();
        let texts = subject.into_iter().chain([body]).flat_map(placeholder::names);
        let parameters = vendor_template
            .into_iter()
            .flat_map(|vendors| vendors.parameters.iter().chain(&vendors.button))
            .map(String::as_str);
        let mut seen = BTreeSet::new();
        for name in texts.chain(parameters) {
            if seen.insert(name) {
                used.push(name.to_owned());
            }
        }
        used
    }
}
