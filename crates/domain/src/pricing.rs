//! What messages cost.

use crate::{
    channel::Channel,
    country::Country,
    id::{Id, Unowned},
    message::Draft,
    money::Money,
    organization::Organization,
};

/// A price for one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricingRule {
    /// Which rule this is.
    pub id: Id<PricingRule>,
    /// The organization it was agreed with; `None` is all.
    pub organization: Option<Id<Organization>>,
    /// The channel.
    pub channel: Channel,
    /// The recipient's country; `None` is any.
    pub country: Option<Country>,
    /// The price of one segment.
    pub unit_price: Money,
}

/// Rules are kept together, those of one organization too.
impl Unowned for PricingRule {}

/// A subscription that can be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which plan this is.
    pub id: Id<Plan>,
    /// Its name.
    pub name: String,
    /// What it costs a month.
    pub monthly_fee: Money,
    /// How many messages a month it includes.
    pub included_messages: i32,
    /// What else it includes, in words.
    pub features: Vec<String>,
}

impl Unowned for Plan {}

/// All active pricing rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceList(pub Vec<PricingRule>);

impl PriceList {
    /// The price of `draft` to `organization`: the price of one segment times the segments.
    pub fn price(&self, organization: Id<Organization>, draft: &Draft) -> Option<Money> {
        let unit_price = self.unit_price(organization, draft.channel, draft.country)?;
        Some(unit_price * draft.segments)
    }

    /// The price of one segment to `organization`: that of the most specific rule. A rule of the
    /// organization's own comes before any general one, then one that names the country. A number of
    /// no country has a price only where a rule names that.
    pub fn unit_price(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        country: Country,
    ) -> Option<Money> {
        self.0
            .iter()
            .filter(|rule| rule.channel == channel)
            .filter(|rule| rule.organization.is_none_or(|it| it == organization))
            .filter(|rule| country.is_covered_by(rule.country))
            .max_by_key(|rule| (rule.organization.is_some(), rule.country.is_some()))
            .map(|rule| rule.unit_price)
    }

    /// The rules that `organization` may see: the general ones and its own.
    pub fn visible_to(&self, organization: Id<Organization>) -> Vec<&PricingRule> {
        let visible = |rule: &&PricingRule| rule.organization.is_none_or(|it| it == organization);
        self.0.iter().filter(visible).collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::message::MessageRequest;

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
        let list = PriceList(vec![
            rule(None, None, 90),
            rule(None, Some("GH"), 30),
            rule(Some(own), None, 20),
            rule(Some(own), Some("GH"), 10),
        ]);

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

        let general = PriceList(vec![rule(None, None, 90), rule(None, Some("GH"), 30)]);
        assert_eq!(general.price(own, &satellite), None);
        let named = PriceList(vec![rule(None, None, 90), rule(None, Some("001"), 9_000)]);
        assert_eq!(named.price(own, &satellite), Some(Money::from_micros(9_000)));
    }

    #[test]
    fn an_organization_sees_no_price_of_another() {
        let (own, other) = (Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH));
        let list = PriceList(vec![rule(None, None, 90), rule(Some(own), None, 20)]);

        assert_eq!(list.visible_to(own).len(), 2);
        assert_eq!(list.visible_to(other).len(), 1);
    }
}
