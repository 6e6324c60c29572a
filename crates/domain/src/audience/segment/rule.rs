//! Evaluation of compiled rules.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use super::campaign_rule::CampaignRule;
use crate::{audience::contact::Contact, shared::text::fold};

/// Condition on contacts. Tests of a missing field fail, so `Not` of such a test holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// All of them hold.
    All(Vec<Rule>),
    /// One of them holds.
    Any(Vec<Rule>),
    /// The rule does not hold.
    Not(Box<Rule>),
    /// The contact has the text, and the test holds for it.
    Text(TextField, TextTest),
    /// The test holds for one of the tags.
    Tag(TextTest),
    /// An attribute begins with a date, written as `2026-01-31`, that is earlier or later than the given
    /// one.
    AttributeDate {
        /// Name of the attribute.
        key: String,
        /// Required order.
        order: DateOrder,
        /// Date to compare with, in the same format.
        date: String,
    },
    /// The contact was created before that time.
    CreatedBefore(DateTime<Utc>),
    /// The contact was created at that time or later.
    CreatedFrom(DateTime<Utc>),
    /// The contact has a recorded consent.
    Consented,
    /// A campaign had that outcome for the contact.
    Campaign(CampaignRule),
}

/// Text field of a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextField {
    /// Code of the country, in upper case.
    CountryCode,
    /// Mail address.
    Email,
    /// Phone number, in E.164.
    Phone,
    /// First name.
    FirstName,
    /// Last name.
    LastName,
    /// Attribute of that name.
    Attribute(String),
}

/// Test of a text. Its values are folded like the texts of contacts, but country codes are in upper case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextTest {
    /// The text exists.
    Exists,
    /// The text is one of these.
    OneOf(Vec<String>),
    /// The text contains this.
    Contains(String),
    /// The text begins with this.
    StartsWith(String),
}

/// Order relative to a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// Earlier.
    Before,
    /// Later.
    After,
}

/// Length of a date such as `2026-01-31`, in bytes.
pub(super) const DATE_LENGTH: usize = 10;

impl Rule {
    /// Returns the rule that all of these hold.
    pub(super) fn all(mut rules: Vec<Self>) -> Self {
        if rules.len() == 1 { rules.remove(0) } else { Self::All(rules) }
    }

    /// Returns the rule that one of these holds.
    pub(super) fn any(mut rules: Vec<Self>) -> Self {
        if rules.len() == 1 { rules.remove(0) } else { Self::Any(rules) }
    }

    /// Returns the rule that this one does not hold.
    pub(super) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// True if the rule holds for a contact of whom no campaign is known.
    pub fn matches(&self, contact: &Contact) -> bool {
        match self {
            Self::All(rules) => rules.iter().all(|rule| rule.matches(contact)),
            Self::Any(rules) => rules.iter().any(|rule| rule.matches(contact)),
            Self::Not(rule) => !rule.matches(contact),
            Self::Text(field, test) => field.of(contact).is_some_and(|text| test.holds(&text)),
            Self::Tag(test) => contact.tags.iter().any(|tag| test.holds(&fold(tag))),
            Self::AttributeDate { key, order, date } => {
                let value = contact.attributes.get(key);
                value.and_then(|text| leading_date(text)).is_some_and(|found| match order {
                    DateOrder::Before => found < date.as_str(),
                    DateOrder::After => found > date.as_str(),
                })
            }
            Self::CreatedBefore(time) => contact.created_at < *time,
            Self::CreatedFrom(time) => contact.created_at >= *time,
            Self::Consented => contact.consent.is_some(),
            // Outcomes are those of messages, which a contact does not know.
            Self::Campaign(_) => false,
        }
    }
}

impl TextField {
    /// Returns the contact's text in the form in which tests compare it.
    fn of<'c>(&self, contact: &'c Contact) -> Option<Cow<'c, str>> {
        let text = match self {
            Self::CountryCode => return Some(Cow::Borrowed(contact.country.as_str())),
            Self::Email => contact.email.as_ref()?.as_str(),
            Self::Phone => contact.phone.as_ref()?.as_str(),
            Self::FirstName => contact.first_name.as_deref()?,
            Self::LastName => contact.last_name.as_deref()?,
            Self::Attribute(key) => contact.attributes.get(key)?,
        };
        Some(Cow::Owned(fold(text)))
    }
}

impl TextTest {
    fn holds(&self, text: &str) -> bool {
        match self {
            Self::Exists => true,
            Self::OneOf(values) => values.iter().any(|value| value == text),
            Self::Contains(part) => text.contains(part),
            Self::StartsWith(beginning) => text.starts_with(beginning),
        }
    }
}

/// Returns the date with which a text begins.
fn leading_date(text: &str) -> Option<&str> {
    let date = text.get(..DATE_LENGTH)?;
    let is_date = date.bytes().enumerate().all(|(index, byte)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_date.then_some(date)
}
