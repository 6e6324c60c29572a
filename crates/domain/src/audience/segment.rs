//! Segments: parts of an organization's contacts, described by rules.

mod parse;
mod rule;
mod warnings;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub use self::rule::{DateOrder, Rule, TextField, TextTest};
use crate::{
    audience::contact::Contact,
    identity::organization::Organization,
    shared::{change::Change, fault::Faults, id::Id, text},
};

/// How many segments an organization may have, so that all of them can be counted together.
pub const MAX_SEGMENTS: u64 = 100;
/// How many contacts a preview shows.
pub const SAMPLE: u32 = 10;
/// How many contacts an organization may have whose segments are counted whenever they are listed. Of
/// more than that the counts are kept, and may be a minute old.
pub const COUNTED_AT_ONCE: u64 = 100_000;

/// The longest name, in characters.
const MAX_NAME: usize = 200;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 1_000;

/// A part of an organization's contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Which segment this is.
    pub id: Id<Segment>,
    /// Whose contacts.
    pub organization: Id<Organization>,
    /// Its name, for people.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Who belongs to it.
    pub rules: Rules,
    /// Whether whoever fits the rules belongs to it at any time. If not, its members are those who
    /// fitted when it was made.
    pub is_dynamic: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A segment with the number of its contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedSegment {
    /// The segment.
    pub segment: Segment,
    /// How many contacts belong to it.
    pub contacts: u64,
    /// When they were counted.
    pub counted_at: DateTime<Utc>,
}

/// The name of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentName {
    /// The segment that has the name.
    pub id: Id<Segment>,
    /// The name itself.
    pub name: String,
}

/// What rules come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// How many contacts fit.
    pub count: u64,
    /// The newest of them, [`SAMPLE`] at the most.
    pub sample: Vec<Contact>,
    /// Lists rules that may not be meant.
    pub warnings: Vec<String>,
}

/// Rules as somebody wrote them, and what they mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    source: Value,
    rule: Rule,
}

impl Rules {
    /// Reads the rules that stand in the field `rules`.
    pub fn parse(source: Value) -> Result<Self, Faults> {
        let rule = parse::parse(&source)?;
        Ok(Self { source, rule })
    }

    /// As they were written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// What they mean.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Whether a contact fits.
    pub fn matches(&self, contact: &Contact) -> bool {
        self.rule.matches(contact)
    }
}

/// A segment that somebody wants to make; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentRequest {
    /// Its name. Required.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Who belongs to it. Required.
    pub rules: Option<Value>,
    /// Whether members come and go; absent is yes.
    pub is_dynamic: Option<bool>,
}

impl SegmentRequest {
    /// The segment that is asked for.
    pub fn segment(
        self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Segment, Faults> {
        let mut faults = Faults::default();
        if self.name.is_none() {
            faults.add("name", "is required");
        }
        let name = self.name.and_then(|name| faults.take("name", text::line(&name, MAX_NAME)));
        let description = checked_description(self.description, &mut faults);
        let rules = required_rules(self.rules, &mut faults);
        let (name, rules) = faults.require(name.zip(rules))?;
        Ok(Segment {
            id: Id::new_in(now, organization),
            organization,
            name,
            description,
            rules,
            is_dynamic: self.is_dynamic.unwrap_or(true),
            created_at: now,
        })
    }
}

/// Rules that somebody wants to try; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreviewRequest {
    /// The rules. Required.
    pub rules: Option<Value>,
}

impl PreviewRequest {
    /// The rules that are asked about.
    pub fn rules(self) -> Result<Rules, Faults> {
        let mut faults = Faults::default();
        let rules = required_rules(self.rules, &mut faults);
        faults.require(rules)
    }
}

/// Changes to a segment; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentUpdate {
    /// Another name.
    pub name: Option<String>,
    /// See [`Segment::description`].
    pub description: Change<String>,
    /// Other rules, of a dynamic segment.
    pub rules: Option<Value>,
}

impl SegmentUpdate {
    /// The segment after the changes.
    pub fn apply(self, mut segment: Segment) -> Result<Segment, Faults> {
        let mut faults = Faults::default();
        if let Some(name) = &self.name {
            segment.name = faults.take("name", text::line(name, MAX_NAME)).unwrap_or_default();
        }
        if let Change::Set(description) = self.description {
            segment.description = checked_description(description, &mut faults);
        }
        if let Some(source) = self.rules {
            match Rules::parse(source) {
                _ if !segment.is_dynamic => faults.add(
                    "rules",
                    "cannot change: the members of this segment were frozen when it was made",
                ),
                Ok(rules) => segment.rules = rules,
                Err(found) => faults.merge("", found),
            }
        }
        faults.or(segment)
    }
}

/// Reads rules that must be there.
fn required_rules(source: Option<Value>, faults: &mut Faults) -> Option<Rules> {
    let Some(source) = source else {
        faults.add("rules", "is required");
        return None;
    };
    match Rules::parse(source) {
        Ok(rules) => Some(rules),
        Err(found) => {
            faults.merge("", found);
            None
        }
    }
}

fn checked_description(description: Option<String>, faults: &mut Faults) -> Option<String> {
    let description = description?;
    faults.take("description", text::without_nul(&description))?;
    if description.chars().count() > MAX_DESCRIPTION {
        faults.add("description", format!("must have at most {MAX_DESCRIPTION} characters"));
    }
    Some(description)
}

#[cfg(test)]
mod tests;
