//! Rules as sentences for people.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::audience::segment::{
    CampaignOutcome, CampaignReference, CampaignRule, DateOrder, Rule, Rules, TextField, TextTest,
};
use domain::messaging::message::CampaignId;
use usecases::Error;

use crate::formats::Formats;
use crate::frame::{Failure, Visit, capitalized};

/// Maximum number of campaigns whose names are looked up.
const NAMED: usize = 10;

/// Rules, as a page shows them.
pub(super) struct RuleText {
    /// True if one of the sentences is enough.
    pub(super) is_any: bool,
    pub(super) sentences: Vec<String>,
}

impl RuleText {
    pub(super) fn new(rules: &Rules, writer: &RuleWriter) -> Self {
        let (is_any, parts) = match rules.rule() {
            Rule::All(parts) if !parts.is_empty() => (false, parts.as_slice()),
            Rule::Any(parts) => (true, parts.as_slice()),
            rule => (false, std::slice::from_ref(rule)),
        };
        let sentences = parts.iter().map(|part| capitalized(&writer.text(part, true))).collect();
        Self { is_any, sentences }
    }
}

/// Names of campaigns that rules are about.
pub(super) type CampaignNames = BTreeMap<CampaignId, String>;

/// Returns the names of the first campaigns that rules are about.
pub(super) async fn names(
    visit: &Visit,
    campaigns: &[CampaignReference],
) -> Result<CampaignNames, Failure> {
    let mut names = CampaignNames::new();
    for campaign in campaigns.iter().map(|named| named.campaign) {
        if names.len() == NAMED {
            break;
        }
        if names.contains_key(&campaign) {
            continue;
        }
        match visit.api().campaigns.get(&visit.caller, campaign).await {
            Ok(found) => {
                names.insert(campaign, found.campaign.name);
            }
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(names)
}

/// Writer of rules in words.
pub(super) struct RuleWriter {
    f: Formats,
    names: CampaignNames,
}

impl RuleWriter {
    /// Returns the writer with these formats and names.
    pub(super) const fn new(f: Formats, names: CampaignNames) -> Self {
        Self { f, names }
    }

    /// Returns a rule in words, or the opposite of it.
    fn text(&self, rule: &Rule, holds: bool) -> String {
        match rule {
            Rule::Not(rule) => self.text(rule, !holds),
            Rule::All(rules) => self.group(rules, holds, if holds { "and" } else { "or" }),
            Rule::Any(rules) => self.group(rules, holds, if holds { "or" } else { "and" }),
            Rule::Tag(test) => Self::tag(test, holds),
            Rule::Text(field, test) => self.field(field, test, holds),
            Rule::AttributeDate { key, order, date } => {
                let order = match order {
                    DateOrder::Before => "before",
                    DateOrder::After => "after",
                };
                format!("{} {} {order} {date}", quoted(key), if holds { "is" } else { "is not" })
            }
            Rule::CreatedBefore(at) => self.added(*at, !holds),
            Rule::CreatedFrom(at) => self.added(*at, holds),
            Rule::Consented if holds => "a consent is recorded".to_owned(),
            Rule::Consented => "no consent is recorded".to_owned(),
            Rule::Campaign(rule) => self.campaign(rule, holds),
        }
    }

    /// Returns several rules in words. The opposite of all is the opposite of one of them.
    fn group(&self, rules: &[Rule], holds: bool, word: &str) -> String {
        let parts: Vec<String> = rules.iter().map(|rule| self.text(rule, holds)).collect();
        match parts.as_slice() {
            [] if holds => "everybody".to_owned(),
            [] => "nobody".to_owned(),
            [part] => part.clone(),
            parts => format!("({})", parts.join(&format!("; {word} "))),
        }
    }

    fn added(&self, at: DateTime<Utc>, is_since: bool) -> String {
        let time = self.f.time(at).text;
        if is_since { format!("added since {time}") } else { format!("added before {time}") }
    }

    fn tag(test: &TextTest, holds: bool) -> String {
        let subject = if holds { "a tag" } else { "no tag" };
        match test {
            TextTest::Exists if holds => "has a tag".to_owned(),
            TextTest::Exists => "has no tag".to_owned(),
            test => format!("{subject} {}", Self::compared(test, true, str::to_owned)),
        }
    }

    fn field(&self, field: &TextField, test: &TextTest, holds: bool) -> String {
        let subject = match field {
            TextField::CountryCode => "country".to_owned(),
            TextField::Email => "email".to_owned(),
            TextField::Phone => "phone".to_owned(),
            TextField::FirstName => "first name".to_owned(),
            TextField::LastName => "last name".to_owned(),
            TextField::Attribute(name) => quoted(name),
        };
        let shown = |value: &str| match field {
            TextField::Phone => self.f.phone(value),
            _ => value.to_owned(),
        };
        format!("{subject} {}", Self::compared(test, holds, shown))
    }

    fn compared(test: &TextTest, holds: bool, shown: impl Fn(&str) -> String) -> String {
        let (verb, values) = match test {
            TextTest::Exists if holds => return "is there".to_owned(),
            TextTest::Exists => return "is missing".to_owned(),
            TextTest::OneOf(values) => (if holds { "is" } else { "is not" }, values.as_slice()),
            TextTest::Contains(part) => {
                (if holds { "contains" } else { "does not contain" }, std::slice::from_ref(part))
            }
            TextTest::StartsWith(part) => (
                if holds { "begins with" } else { "does not begin with" },
                std::slice::from_ref(part),
            ),
        };
        let values: Vec<String> = values.iter().map(|value| quoted(&shown(value))).collect();
        format!("{verb} {}", values.join(" or "))
    }

    fn campaign(&self, rule: &CampaignRule, holds: bool) -> String {
        let outcome = |outcome: &CampaignOutcome| match outcome {
            CampaignOutcome::Sent => "was sent",
            CampaignOutcome::Skipped => "was skipped",
            CampaignOutcome::Failed => "failed",
        };
        let outcomes: Vec<&str> = rule.outcomes.iter().map(outcome).collect();
        let outcomes = outcomes.join(" or ");
        let id = rule.campaign.to_string();
        let name = quoted(self.names.get(&rule.campaign).unwrap_or(&id));
        let beginning = if holds { "the message" } else { "it is not so that the message" };
        format!("{beginning} of the campaign {name} {outcomes}")
    }
}

/// Returns a text in quotation marks, whose direction of writing ends with them.
fn quoted(text: &str) -> String {
    format!("“\u{2068}{text}\u{2069}”")
}

#[cfg(test)]
mod tests {
    use domain::shared::country::Country;
    use serde_json::{Value, json};

    use super::*;

    const CAMPAIGN: &str = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b";

    fn text(source: Value) -> (bool, Vec<String>) {
        let f = Formats::new("Africa/Accra", Country::GH, DateTime::UNIX_EPOCH);
        let names = CampaignNames::from([(CAMPAIGN.parse().unwrap(), "Easter".to_owned())]);
        let text = RuleText::new(&Rules::parse(source).unwrap(), &RuleWriter::new(f, names));
        let plain = |it: &String| it.replace(['\u{2068}', '\u{2069}'], "");
        (text.is_any, text.sentences.iter().map(plain).collect())
    }

    #[test]
    fn each_condition_is_a_sentence() {
        for (rules, expected) in [
            (json!({ "tags": ["vip", "gold"] }), "A tag is “vip” or “gold”."),
            (json!({ "tags": { "not": { "contains": "old" } } }), "No tag contains “old”."),
            (json!({ "tags": { "exists": false } }), "Has no tag."),
            (json!({ "phone": "0241234567" }), "Phone is “024 123 4567”."),
            (json!({ "Town": { "not": "Ho" } }), "“Town” is not “ho”."),
            (json!({ "email": { "exists": false } }), "Email is missing."),
            (json!({ "born": { "before": "1990-01-01" } }), "“born” is before 1990-01-01."),
            (
                json!({ "createdAt": { "after": "2026-01-30" } }),
                "Added since 31 January 2026 at 00:00 GMT.",
            ),
            (
                json!({ "not": { "createdAt": { "after": "2026-01-30" } } }),
                "Added before 31 January 2026 at 00:00 GMT.",
            ),
            (json!({ "consent": { "exists": true } }), "A consent is recorded."),
            (
                json!({ "campaign": { "id": CAMPAIGN, "outcome": ["FAILED", "SKIPPED"] } }),
                "The message of the campaign “Easter” failed or was skipped.",
            ),
            (json!({}), "Everybody."),
        ] {
            assert_eq!(text(rules), (false, vec![expected.to_owned()]));
        }
    }

    #[test]
    fn groups_are_in_parentheses_and_the_opposite_of_all_is_that_one_is_not() {
        let (is_any, sentences) = text(json!({
            "any": [
                { "city": "Ho", "countryCode": "GH" },
                { "not": { "city": "Ho", "email": { "exists": true } } },
            ],
        }));
        assert!(is_any);
        assert_eq!(
            sentences,
            [
                "(“city” is “ho”; and country is “GH”).",
                "(“city” is not “ho”; or email is missing).",
            ]
        );
    }
}
