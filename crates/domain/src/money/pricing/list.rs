//! Prices in force.

use std::collections::HashMap;

use super::PricingRule;
use crate::{
    identity::organization::Organization,
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

    /// Returns the price of a message of so many segments for `organization`.
    pub fn price(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        country: Country,
        segments: u16,
    ) -> Option<Money> {
        self.unit_price(organization, channel, country).map(|unit_price| unit_price * segments)
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

    /// Returns the rules that are for all organizations.
    pub fn general(&self) -> &[PricingRule] {
        &self.general
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

    fn price(
        list: &PriceList,
        organization: Id<Organization>,
        country: &str,
        segments: u16,
    ) -> Option<i64> {
        let country = Country::parse_destination(country).unwrap();
        let price = list.price(organization, Channel::Sms, country, segments);
        price.map(Money::micros)
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

        assert_eq!(price(&list, own, "GH", 2), Some(20));
        assert_eq!(price(&list, other, "GH", 2), Some(60));
        assert_eq!(price(&list, own, "NG", 1), Some(20));
        assert_eq!(price(&list, other, "NG", 1), Some(90));
    }

    #[test]
    fn a_number_of_no_country_has_a_price_only_where_one_is_named() {
        let own = Id::new(DateTime::UNIX_EPOCH);

        let general = PriceList::new(0, vec![rule(None, None, 90), rule(None, Some("GH"), 30)]);
        assert_eq!(price(&general, own, "001", 1), None);
        let named = PriceList::new(0, vec![rule(None, None, 90), rule(None, Some("001"), 9_000)]);
        assert_eq!(price(&named, own, "001", 1), Some(9_000));
    }

    #[test]
    fn an_organization_sees_no_price_of_another() {
        let (own, other) = (Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH));
        let list = PriceList::new(0, vec![rule(None, None, 90), rule(Some(own), None, 20)]);

        assert_eq!(list.visible_to(own).len(), 2);
        assert_eq!(list.visible_to(other).len(), 1);
    }
}
