//! Segments: parts of an organization's contacts, described by rules.
//!
//! ```
//! use domain::audience::segment::Rules;
//! use serde_json::json;
//!
//! assert!(Rules::parse(json!({"tags": ["vip"], "countryCode": "GH"})).is_ok());
//! ```

mod campaign_rule;
mod parse;
mod period;
mod rule;
mod warnings;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub use self::{
    campaign_rule::{CampaignOutcome, CampaignReference, CampaignRule},
    rule::{DateOrder, Rule, TextField, TextTest},
};
use crate::{
    audience::contact::Contact,
    identity::organization::Organization,
    shared::{change::Change, fault::Faults, id::Id, text},
};

/// Maximum number of segments of an organization, so that all of them can be counted together.
pub const MAX_SEGMENTS: u64 = 100;
/// Maximum number of contacts in a preview.
pub const SAMPLE: u32 = 10;
/// Maximum number of contacts of an organization for counting its segments on every listing. Counts of
/// larger organizations are cached, and may be a minute old.
pub const COUNTED_AT_ONCE: u64 = 100_000;

/// The longest name, in characters.
const MAX_NAME: usize = 200;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 1_000;

/// Part of an organization's contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Identifier of the segment.
    pub id: Id<Segment>,
    /// Organization that owns the contacts.
    pub organization: Id<Organization>,
    /// Name for people.
    pub name: String,
    /// Purpose of the segment, for people.
    pub description: Option<String>,
    /// Conditions for its members.
    pub rules: Rules,
    /// True if the members are the contacts that match the rules at any time. Otherwise they are those that
    /// matched at creation.
    pub is_dynamic: bool,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// Segment with the number of its contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedSegment {
    /// The segment.
    pub segment: Segment,
    /// Number of its contacts.
    pub contacts: u64,
    /// Time of the count.
    pub counted_at: DateTime<Utc>,
}

/// Name of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentName {
    /// Segment that has the name.
    pub id: Id<Segment>,
    /// Name for people.
    pub name: String,
}

/// Result of trying rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Number of matching contacts.
    pub count: u64,
    /// The newest of them, at most [`SAMPLE`].
    pub sample: Vec<Contact>,
    /// Warnings about rules that may be mistakes, for people.
    pub warnings: Vec<String>,
}

/// Rules in their source form and compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    source: Value,
    rule: Rule,
    campaigns: Vec<CampaignReference>,
}

impl Rules {
    /// Parses rules. Paths of faults begin with the field `rules`.
    pub fn parse(source: Value) -> Result<Self, Faults> {
        let parse::Parsed { rule, campaigns } = parse::parse(&source)?;
        Ok(Self { source, rule, campaigns })
    }

    /// Returns the rules as the client wrote them.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// Returns the compiled rule.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Returns the campaigns that the rules name, in their order.
    pub fn campaigns(&self) -> &[CampaignReference] {
        &self.campaigns
    }

    /// True if a contact of whom no campaign is known matches the rules.
    pub fn matches(&self, contact: &Contact) -> bool {
        self.rule.matches(contact)
    }
}

/// Request to create a segment, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentRequest {
    /// Name. Required.
    pub name: Option<String>,
    /// Purpose of the segment, for people.
    pub description: Option<String>,
    /// Conditions for its members. Required.
    pub rules: Option<Value>,
    /// See [`Segment::is_dynamic`]; true if absent.
    pub is_dynamic: Option<bool>,
}

impl SegmentRequest {
    /// Returns the requested segment. Fails with every fault of the request.
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

/// Request to try rules, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreviewRequest {
    /// The rules. Required.
    pub rules: Option<Value>,
}

impl PreviewRequest {
    /// Returns the parsed rules. Fails if they are missing or invalid.
    pub fn rules(self) -> Result<Rules, Faults> {
        let mut faults = Faults::default();
        let rules = required_rules(self.rules, &mut faults);
        faults.require(rules)
    }
}

/// Changes to a segment, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentUpdate {
    /// New name.
    pub name: Option<String>,
    /// See [`Segment::description`].
    pub description: Change<String>,
    /// New rules, only for dynamic segments.
    pub rules: Option<Value>,
}

impl SegmentUpdate {
    /// Returns the segment with the changes applied. Fails with every fault of the changes.
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

/// Parses required rules.
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
