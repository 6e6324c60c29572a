//! Content of a template.

use std::{borrow::Cow, collections::BTreeSet};

use super::{channel::TemplateChannel, value_rules::ValueRules, vendor::VendorTemplate};
use crate::{
    content::compliance::{self, Assessment},
    identity::organization::WaysOut,
    shared::{category::Category, country::Country, placeholder, text_format::TextFormat},
};

/// Everything that is sent with a template, or affects the sending. An approval covers exactly this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateContent {
    /// Channel of the template.
    pub channel: TemplateChannel,
    /// Category of its messages.
    pub category: Category,
    /// Country of the recipients.
    pub country: Country,
    /// Language, such as `en`.
    pub language: String,
    /// Subject line with placeholders; `None` if it has none.
    pub subject: Option<String>,
    /// Text with placeholders.
    pub body: String,
    /// Format of the text; `None` if not specified.
    pub format: Option<TextFormat>,
    /// Names of the placeholders.
    pub variables: Vec<String>,
    /// Template that the vendor stores; `None` if it has none.
    pub vendor_template: Option<VendorTemplate>,
    /// Rules about the values of placeholders.
    pub value_rules: ValueRules,
}

impl TemplateContent {
    /// Assesses the risk of the content. Positions count from the subject, which is a line before the text.
    pub fn assess(&self) -> Assessment {
        compliance::assess(&self.text(), self.category)
    }

    /// True if the content names one of these ways out of promotion.
    pub(super) fn names_way_out(&self, ways_out: &WaysOut) -> bool {
        ways_out.are_named_in(&self.text())
    }

    fn text(&self) -> Cow<'_, str> {
        match &self.subject {
            Some(subject) => Cow::Owned(format!("{subject}\n{}", self.body)),
            None => Cow::Borrowed(&self.body),
        }
    }

    /// Returns the names of the used placeholders, in the order of their first occurrence.
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
