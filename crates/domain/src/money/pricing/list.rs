//! Prices in force.

use std::collections::HashMap;

use super::PricingRule;
use crate::{
    identity::organization::Organization,
    messaging::message::Draft,
    shared::{channel::Channel, country::Country, id::Id, money::Money},
};

/// All active pricing rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceList {
    version: i64,
    general: Vec<PricingRule>,
    agreed: HashMap<Id<Organization>, Vec<PricingRule>>,
}

impl PriceList {
    /// Returns the list of these rules. The version increases with each change of any rule.
    pub fn new(version: i64, rules: impl IntoIterator<Item = PricingRule>) -> Self {
        let mut list = Self { version, ..Self::default() };
        for rule in rules {
            match rule.organization {
                None => list.general.push(rule),
                Some(organization) => list.agreed.entry(organization).or_default().push(rule),
            }
        }
        list
    }

    /// Returns the version of the list.
    pub const fn version(&self) -> i64 {
        self.version
    }

    /// Returns the price of `draft` for `organization`: the price of one segment times the number
    /// of segments.
    pub fn price(&self, organization: Id<Organization>, draft: &Draft) -> Option<Money> {
        let unit_price = self.unit_price(organization, draft.channel, draft.country)?;
        Some(unit_price * draft.segments)
    }

    /// Returns the price of one segment for `organization`, from the most specific rule. The
    /// organization's own rules precede general ones, then rules with a country precede those
    /// without. A number of no country has a price only if a rule names that.
    pub fn unit_price(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        country: Country,
    ) -> Option<Money> {
        let most_specific = |rules: &[PricingRule]| {
            let rules = rules.iter().filter(|rule| rule.channel == channel);
            let rules = rules.filter(|rule| country.is_covered_by(rule.country));
            rules.max_by_key(|rule| rule.country.is_some()).map(|rule| rule.unit_price)
        };
        most_specific(self.agreed_with(organization)).or_else(|| most_specific(&self.general))
    }

    /// Returns the rules that `organization` may see: the general ones and its own.
    pub fn visible_to(&self, organization: Id<Organization>) -> Vec<&PricingRule> {
        self.general.iter().chain(self.agreed_with(organization)).collect()
    }

    fn agreed_with(&self, organization: Id<Organization>) -> &[PricingRule] {
        self.agreed.get(&organization).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::messaging::message::MessageRequest;

    fn rule(
        organization: Option<Id<Organization>>,
        country: Option<&str>,
        micros: i64,
    ) -> PricingRule {
        PricingRule {
            id: Id::new(DateTime::UNIX_EPOCH),
            organization,
            channel: Channel::Sms,
            country: country.map(|country| Country::parse_destination(country).unwrap()),
            unit_price: Money::from_micros(micros),
        }
    }

    fn draft(to: &str, body: &str) -> Draft {
        let composition = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some(to.into()),
            body: Some(body.into()),
            ..MessageRequest::default()
        };
        composition.draft(None).unwrap()
    }

    #[test]
    fn the_most_specific_rule_sets_the_price_of_each_segment() {
        let (own, other) = (Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH));
        let list = PriceList::new(
            0,
            vec![
                rule(None, None, 90),
                rule(None, Some("GH"), 30),
                rule(Some(own), None, 20),
                rule(Some(own), Some("GH"), 10),
            ],
        );

        let ghana = draft("0241234567", &"a".repeat(161));
        assert_eq!(list.price(own, &ghana), Some(Money::from_micros(20)));
        assert_eq!(list.price(other, &ghana), Some(Money::from_micros(60)));
        let nigeria = draft("+2348031234567", "a");
        assert_eq!(list.price(own, &nigeria), Some(Money::from_micros(20)));
        assert_eq!(list.price(other, &nigeria), Some(Money::from_micros(90)));
    }

    #[test]
    fn a_number_of_no_country_has_a_price_only_where_one_is_named() {
        let own = Id::new(DateTime::UNIX_EPOCH);
        let satellite = draft("+881612345678", "a");

        let general = PriceList::new(0, vec![rule(None, None, 90), rule(None, Some("GH"), 30)]);
        assert_eq!(general.price(own, &satellite), None);
        let named = PriceList::new(0, vec![rule(None, None, 90), rule(None, Some("001"), 9_000)]);
        assert_eq!(named.price(own, &satellite), Some(Money::from_micros(9_000)));
    }

    #[test]
    fn an_organization_sees_no_price_of_another() {
        let (own, other) = (Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH));
        let list = PriceList::new(0, vec![rule(None, None, 90), rule(Some(own), None, 20)]);

        assert_eq!(list.visible_to(own).len(), 2);
        assert_eq!(list.visible_to(other).len(), 1);
    }
}
