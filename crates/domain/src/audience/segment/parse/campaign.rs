//! Parsing of conditions on a campaign.

use serde_json::Value;

use super::Parser;
use crate::{
    audience::segment::{
        campaign_rule::{CampaignOutcome, CampaignReference, CampaignRule},
        rule::Rule,
    },
    messaging::message::CampaignId,
};

const ID: &str = "id";
const OUTCOME: &str = "outcome";
/// Fault of a value of another form.
const FORM: &str = "must be {\"id\": …, \"outcome\": …}, the identifier of a campaign and SENT, SKIPPED \
                    or FAILED; attributes.campaign is an attribute";

impl Parser {
    /// Parses the condition on what became of a campaign.
    pub(super) fn campaign(&mut self, value: &Value, path: &str) -> Option<Rule> {
        self.conditions += 1;
        let Value::Object(parts) = value else { return self.fault(path, FORM) };
        for name in parts.keys().filter(|name| ![ID, OUTCOME].contains(&name.as_str())) {
            self.faults.add(format!("{path}.{name}"), "must be id or outcome");
        }
        let campaign = self.campaign_id(parts.get(ID), &format!("{path}.{ID}"));
        let outcomes = self.outcomes(parts.get(OUTCOME), &format!("{path}.{OUTCOME}"));
        Some(Rule::Campaign(CampaignRule { campaign: campaign?, outcomes: outcomes? }))
    }

    fn campaign_id(&mut self, value: Option<&Value>, path: &str) -> Option<CampaignId> {
        let Some(Value::String(text)) = value else {
            return self.fault(path, "must be the identifier of a campaign");
        };
        let campaign: CampaignId = self.faults.take(path, text.parse())?;
        self.campaigns.push(CampaignReference { path: path.to_owned(), campaign });
        Some(campaign)
    }

    /// Parses an outcome, or an array of them.
    fn outcomes(&mut self, value: Option<&Value>, path: &str) -> Option<Vec<CampaignOutcome>> {
        let Some(Value::Array(items)) = value else {
            return Some(vec![self.outcome(value.unwrap_or(&Value::Null), path)?]);
        };
        self.values += items.len();
        if items.is_empty() {
            return self.fault(path, super::EMPTY);
        }
        let mut outcomes = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            outcomes.push(self.outcome(item, &format!("{path}.{index}")));
        }
        let mut outcomes: Vec<CampaignOutcome> = outcomes.into_iter().collect::<Option<_>>()?;
        outcomes.sort_unstable_by_key(|outcome| outcome.as_str());
        outcomes.dedup();
        Some(outcomes)
    }

    fn outcome(&mut self, value: &Value, path: &str) -> Option<CampaignOutcome> {
        self.faults.take(path, value.as_str().unwrap_or_default().parse())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{audience::segment::Rules, shared::fault::Faults};

    const CAMPAIGN: &str = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b";

    fn parsed(rules: Value) -> Rules {
        Rules::parse(rules).unwrap()
    }

    #[test]
    fn a_rule_names_a_campaign_and_its_outcomes() {
        for (outcome, expected) in [
            (json!("SENT"), vec![CampaignOutcome::Sent]),
            (
                json!(["SKIPPED", "FAILED", "SKIPPED"]),
                vec![CampaignOutcome::Failed, CampaignOutcome::Skipped],
            ),
        ] {
            let rules = parsed(json!({"campaign": {"id": CAMPAIGN, "outcome": outcome}}));
            let campaign = CAMPAIGN.parse().unwrap();
            assert_eq!(
                rules.rule(),
                &Rule::Campaign(CampaignRule { campaign, outcomes: expected })
            );
        }
    }

    #[test]
    fn campaigns_are_known_with_their_places() {
        let rule = json!({"campaign": {"id": CAMPAIGN, "outcome": "SENT"}});
        let rules = parsed(json!({"any": [{"city": "Ho"}, {"not": rule}]}));

        let [named] = rules.campaigns() else { panic!("{:?}", rules.campaigns()) };
        assert_eq!(named.path, "rules.any.1.not.campaign.id");
        assert_eq!(named.campaign.to_string(), CAMPAIGN);
        let attribute = parsed(json!({"attributes.campaign": "easter"}));
        assert!(attribute.campaigns().is_empty());
    }

    #[test]
    fn another_form_is_a_fault_of_its_part() {
        for (value, paths) in [
            (json!("easter"), vec!["rules.campaign"]),
            (json!(null), vec!["rules.campaign"]),
            (json!({}), vec!["rules.campaign.id", "rules.campaign.outcome"]),
            (
                json!({"id": "x", "outcome": "sent"}),
                vec!["rules.campaign.id", "rules.campaign.outcome"],
            ),
            (json!({"id": CAMPAIGN, "outcome": []}), vec!["rules.campaign.outcome"]),
            (json!({"id": CAMPAIGN, "outcome": ["SENT", 1]}), vec!["rules.campaign.outcome.1"]),
            (json!({"id": CAMPAIGN, "outcome": "SENT", "at": 1}), vec!["rules.campaign.at"]),
        ] {
            let faults: Faults = Rules::parse(json!({ "campaign": value })).unwrap_err();
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), paths, "{value}");
        }
    }
}
