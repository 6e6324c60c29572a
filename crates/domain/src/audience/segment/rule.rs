//! Rules as they are evaluated.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::{audience::contact::Contact, shared::text::fold};

/// A condition on contacts. It holds or it does not: of a contact without the field in question no test
/// holds, and so `Not` of it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Each of them holds.
    All(Vec<Rule>),
    /// One of them holds.
    Any(Vec<Rule>),
    /// It does not hold.
    Not(Box<Rule>),
    /// The contact has the text, and this is so.
    Text(TextField, TextTest),
    /// This is so of one of the tags.
    Tag(TextTest),
    /// An attribute begins with a date, written as `2026-01-31`, that is earlier or later than this
    /// one.
    AttributeDate {
        /// Which attribute.
        key: String,
        /// On which side of the date.
        order: DateOrder,
        /// The date, written in the same way.
        date: String,
    },
    /// The contact was made before that.
    CreatedBefore(DateTime<Utc>),
    /// The contact was made then or later.
    CreatedFrom(DateTime<Utc>),
}

/// A text of a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextField {
    /// The code of its country, in upper case.
    CountryCode,
    /// The mail address.
    Email,
    /// The number, in E.164.
    Phone,
    /// The first name.
    FirstName,
    /// The last name.
    LastName,
    /// The attribute of that name.
    Attribute(String),
}

/// What is asked of a text. The texts in it are written as contacts have them when letters count in
/// one case only: folded, but a country's code in upper case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextTest {
    /// It is there.
    Exists,
    /// It is one of these.
    OneOf(Vec<String>),
    /// This is a part of it.
    Contains(String),
    /// It begins with this.
    StartsWith(String),
}

/// On which side of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// Earlier.
    Before,
    /// Later.
    After,
}

/// How long a date is: `2026-01-31`.
pub(super) const DATE_LENGTH: usize = 10;

impl Rule {
    /// The rule that all of these hold.
    pub(super) fn all(mut rules: Vec<Self>) -> Self {
        if rules.len() == 1 { rules.remove(0) } else { Self::All(rules) }
    }

    /// The rule that one of these holds.
    pub(super) fn any(mut rules: Vec<Self>) -> Self {
        if rules.len() == 1 { rules.remove(0) } else { Self::Any(rules) }
    }

    /// The rule that this does not hold.
    pub(super) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Whether it holds for a contact.
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
        }
    }
}

impl TextField {
    /// The text that a contact has there, as tests compare it.
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

/// The date with which a text begins.
fn leading_date(text: &str) -> Option<&str> {
    let date = text.get(..DATE_LENGTH)?;
    let is_date = date.bytes().enumerate().all(|(index, byte)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_date.then_some(date)
}
