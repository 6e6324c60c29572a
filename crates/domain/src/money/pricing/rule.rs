//! Creation and change of prices.

use chrono::{DateTime, Utc};

use super::{ChangeRefused, PricingChange, PricingRule, Version};
use crate::{
    identity::organization::Organization,
    shared::{channel::Channel, country::Country, fault::Faults, id::Id, money::Money},
};

/// Maximum price of a segment.
pub const MAX_UNIT_PRICE: Money = Money::from_cedis(1_000);

/// An unchecked request for a price.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PricingRuleRequest {
    /// See [`PricingRule::organization`].
    pub organization: Option<Id<Organization>>,
    /// See [`PricingRule::channel`].
    pub channel: Option<Channel>,
    /// See [`PricingRule::country`].
    pub country: Option<String>,
    /// See [`PricingRule::unit_price`].
    pub unit_price: Option<Money>,
}

/// Changes to a price. Absent fields stay unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PricingRuleUpdate {
    /// See [`PricingRule::unit_price`].
    pub unit_price: Option<Money>,
    /// True to keep or reactivate the price; false to end it.
    pub is_active: Option<bool>,
}

impl PricingRuleRequest {
    /// Returns the rule that applies from `now` on. Fails with everything that is wrong.
    pub fn rule(self, now: DateTime<Utc>) -> Result<PricingRule, Faults> {
        let mut faults = Faults::default();
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        let country = self.country.as_deref().map(Country::parse_destination);
        let country = faults.take("countryCode", country.transpose()).flatten();
        let unit_price = self.unit_price.ok_or_else(|| "is required".to_owned());
        let unit_price = faults.take("unitPrice", unit_price.and_then(checked_price));
        faults.require(self.channel.zip(unit_price).map(|(channel, unit_price)| PricingRule {
            id: Id::new(now),
            organization: self.organization,
            channel,
            country,
            unit_price,
        }))
    }
}

impl PricingRuleUpdate {
    /// Returns everything that is wrong with the update itself.
    pub fn faults(self) -> Faults {
        let mut faults = Faults::default();
        if let Some(price) = self.unit_price {
            faults.take("unitPrice", checked_price(price));
            if self.is_active == Some(false) {
                faults.add("unitPrice", "cannot be changed while the rule is ended");
            }
        }
        faults
    }
}

impl Version<PricingRule> {
    /// Returns the effect of an update without faults.
    pub fn change(
        &self,
        update: PricingRuleUpdate,
        now: DateTime<Utc>,
    ) -> Result<PricingChange<PricingRule>, ChangeRefused> {
        let unit_price = update.unit_price.unwrap_or(self.value.unit_price);
        let replaced = || {
            let rule = PricingRule { id: Id::new(now), unit_price, ..self.value.clone() };
            Ok(PricingChange::Replace(rule))
        };
        match (self.is_active(), update.is_active) {
            (true, Some(false)) if self.value.is_general() => Err(ChangeRefused::General),
            (true, Some(false)) => Ok(PricingChange::End),
            (true, _) if unit_price == self.value.unit_price => Ok(PricingChange::Nothing),
            (true, _) | (false, Some(true)) => replaced(),
            (false, _) if update.unit_price.is_some() => Err(ChangeRefused::Ended),
            (false, _) => Ok(PricingChange::Nothing),
        }
    }
}

impl PricingRule {
    /// True if it applies to all organizations and countries.
    pub const fn is_general(&self) -> bool {
        self.organization.is_none() && self.country.is_none()
    }
}

/// Checks the price of one segment.
fn checked_price(price: Money) -> Result<Money, String> {
    if (Money::ZERO..=MAX_UNIT_PRICE).contains(&price) {
        Ok(price)
    } else {
        Err(format!("must be from 0 to {}", MAX_UNIT_PRICE.to_number()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn price(micros: i64) -> Money {
        Money::from_micros(micros)
    }

    fn version(country: Option<&str>, ended_at: Option<DateTime<Utc>>) -> Version<PricingRule> {
        let request = PricingRuleRequest {
            channel: Some(Channel::Sms),
            country: country.map(str::to_owned),
            unit_price: Some(price(30)),
            ..PricingRuleRequest::default()
        };
        Version { ended_at, ..Version::begin(request.rule(NOW).unwrap(), NOW) }
    }

    fn update(micros: Option<i64>, is_active: Option<bool>) -> PricingRuleUpdate {
        PricingRuleUpdate { unit_price: micros.map(price), is_active }
    }

    #[test]
    fn a_price_is_from_zero_to_a_thousand_cedis() {
        for (micros, is_fine) in
            [(-1, false), (0, true), (1_000_000_000, true), (1_000_000_001, false)]
        {
            let request = PricingRuleRequest {
                channel: Some(Channel::Sms),
                unit_price: Some(price(micros)),
                ..PricingRuleRequest::default()
            };
            assert_eq!(request.rule(NOW).is_ok(), is_fine, "{micros}");
            assert_eq!(update(Some(micros), None).faults().is_empty(), is_fine, "{micros}");
        }
        let request =
            PricingRuleRequest { country: Some("Ghana".into()), ..PricingRuleRequest::default() };
        let faults = request.rule(NOW).unwrap_err();
        assert_eq!(
            faults.fields.keys().collect::<Vec<_>>(),
            ["channel", "countryCode", "unitPrice"]
        );
    }

    #[test]
    fn another_price_is_a_new_rule_and_the_same_price_is_none() {
        let known = version(Some("GH"), None);

        assert_eq!(known.change(update(Some(30), None), NOW), Ok(PricingChange::Nothing));
        let changed = known.change(update(Some(40), Some(true)), NOW).unwrap();
        let PricingChange::Replace(rule) = changed else { panic!("{changed:?}") };
        assert_ne!(rule.id, known.value.id);
        assert_eq!((rule.country, rule.unit_price), (known.value.country, price(40)));
        assert_eq!(known.change(update(None, Some(false)), NOW), Ok(PricingChange::End));
    }

    #[test]
    fn an_ended_price_is_changed_only_by_reactivating_it() {
        let ended = version(Some("GH"), Some(NOW));

        assert_eq!(ended.change(update(Some(40), None), NOW), Err(ChangeRefused::Ended));
        assert_eq!(ended.change(update(None, Some(false)), NOW), Ok(PricingChange::Nothing));
        for micros in [None, Some(40)] {
            let revived = ended.change(update(micros, Some(true)), NOW).unwrap();
            let PricingChange::Replace(rule) = revived else { panic!("{revived:?}") };
            assert_eq!(rule.unit_price, price(micros.unwrap_or(30)));
        }
    }

    #[test]
    fn a_channel_keeps_a_price_for_all() {
        let general = version(None, None);

        let ended = general.change(update(None, Some(false)), NOW);

        assert_eq!(ended, Err(ChangeRefused::General));
        assert!(matches!(
            general.change(update(Some(0), None), NOW),
            Ok(PricingChange::Replace(_))
        ));
    }
}
