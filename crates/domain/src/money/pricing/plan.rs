//! Creation and change of plans.

use chrono::{DateTime, Utc};

use super::{ChangeRefused, Plan, PricingChange, Version};
use crate::shared::{fault::Faults, id::Id, money::Money, text};

/// Maximum monthly fee.
pub const MAX_FEE: Money = Money::from_cedis(1_000_000);
/// Maximum number of features of a plan.
pub const MAX_FEATURES: usize = 20;
/// Maximum length of a feature, in characters.
pub const MAX_FEATURE: usize = 200;
/// Maximum length of a name, in characters.
const MAX_NAME: usize = 100;

/// An unchecked request for a plan, or for changes of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanRequest {
    /// See [`Plan::name`].
    pub name: Option<String>,
    /// See [`Plan::monthly_fee`].
    pub monthly_fee: Option<Money>,
    /// See [`Plan::included_messages`].
    pub included_messages: Option<i32>,
    /// See [`Plan::features`].
    pub features: Option<Vec<String>>,
    /// True if it can be booked; the default for a new plan.
    pub is_active: Option<bool>,
}

impl PlanRequest {
    /// Returns the plan that applies from `now` on. Fails with everything that is wrong.
    pub fn plan(self, now: DateTime<Utc>) -> Result<Plan, Faults> {
        let mut faults = self.faults();
        for (name, is_missing) in [
            ("name", self.name.is_none()),
            ("monthlyFee", self.monthly_fee.is_none()),
            ("includedMessages", self.included_messages.is_none()),
        ] {
            if is_missing {
                faults.add(name, "is required");
            }
        }
        faults.or(Plan {
            id: Id::new(now),
            name: self.name.unwrap_or_default().trim().to_owned(),
            monthly_fee: self.monthly_fee.unwrap_or_default(),
            included_messages: self.included_messages.unwrap_or_default(),
            features: self.features.unwrap_or_default(),
        })
    }

    /// Returns everything that is wrong with the given fields.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Some(name) = &self.name {
            faults.take("name", text::line(name, MAX_NAME));
        }
        if let Some(fee) = self.monthly_fee
            && !(Money::ZERO..=MAX_FEE).contains(&fee)
        {
            faults.add("monthlyFee", format!("must be from 0 to {}", MAX_FEE.to_number()));
        }
        if self.included_messages.is_some_and(|messages| messages < 0) {
            faults.add("includedMessages", "must not be negative");
        }
        let features = self.features.as_deref().unwrap_or_default();
        if features.len() > MAX_FEATURES {
            faults.add("features", format!("must have at most {MAX_FEATURES} items"));
        }
        for (index, feature) in features.iter().take(MAX_FEATURES).enumerate() {
            faults.take(&format!("features.{index}"), text::line(feature, MAX_FEATURE));
        }
        faults
    }

    /// True if it sets anything other than `is_active`.
    fn has_other_changes(&self) -> bool {
        self.name.is_some()
            || self.monthly_fee.is_some()
            || self.included_messages.is_some()
            || self.features.is_some()
    }
}

impl Version<Plan> {
    /// Returns the effect of changes without faults.
    pub fn change(
        &self,
        update: PlanRequest,
        now: DateTime<Utc>,
    ) -> Result<PricingChange<Plan>, ChangeRefused> {
        let (has_other_changes, is_active) = (update.has_other_changes(), update.is_active);
        let present = &self.value;
        let plan = Plan {
            id: present.id,
            name: update.name.map_or_else(|| present.name.clone(), |name| name.trim().to_owned()),
            monthly_fee: update.monthly_fee.unwrap_or(present.monthly_fee),
            included_messages: update.included_messages.unwrap_or(present.included_messages),
            features: update.features.unwrap_or_else(|| present.features.clone()),
        };
        match (self.is_active(), is_active) {
            (true, Some(false)) => Ok(PricingChange::End),
            (true, _) if plan == *present => Ok(PricingChange::Nothing),
            (true, _) | (false, Some(true)) => {
                Ok(PricingChange::Replace(Plan { id: Id::new(now), ..plan }))
            }
            (false, _) if has_other_changes => Err(ChangeRefused::Ended),
            (false, _) => Ok(PricingChange::Nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn request() -> PlanRequest {
        PlanRequest {
            name: Some(" Growth ".into()),
            monthly_fee: Some(Money::from_cedis(250)),
            included_messages: Some(10_000),
            features: Some(vec!["Webhooks".into()]),
            is_active: None,
        }
    }

    #[test]
    fn reports_everything_that_is_wrong_with_a_plan() {
        assert_eq!(request().plan(NOW).unwrap().name, "Growth");
        let faulty = PlanRequest {
            name: Some(" ".into()),
            monthly_fee: Some(Money::from_micros(-1)),
            included_messages: Some(-1),
            features: Some(vec!["a".repeat(MAX_FEATURE + 1)]),
            is_active: None,
        };
        let named: Vec<_> = faulty.plan(NOW).unwrap_err().fields.into_keys().collect();
        assert_eq!(named, ["features.0", "includedMessages", "monthlyFee", "name"]);
        let missing: Vec<_> =
            PlanRequest::default().plan(NOW).unwrap_err().fields.into_keys().collect();
        assert_eq!(missing, ["includedMessages", "monthlyFee", "name"]);
        let many = PlanRequest { features: Some(vec!["a".into(); 21]), ..request() };
        assert!(many.plan(NOW).unwrap_err().fields.contains_key("features"));
    }

    #[test]
    fn a_changed_plan_is_a_new_version_and_an_ended_one_can_return() {
        let known = Version::begin(request().plan(NOW).unwrap(), NOW);
        let dearer =
            || PlanRequest { monthly_fee: Some(Money::from_cedis(300)), ..PlanRequest::default() };
        assert_eq!(known.change(request(), NOW), Ok(PricingChange::Nothing));
        let changed = known.change(dearer(), NOW).unwrap();
        let PricingChange::Replace(plan) = changed else { panic!("{changed:?}") };
        assert_ne!(plan.id, known.value.id);
        assert_eq!(
            plan,
            Plan { id: plan.id, monthly_fee: Money::from_cedis(300), ..known.value.clone() }
        );
        let end = || PlanRequest { is_active: Some(false), ..PlanRequest::default() };
        assert_eq!(known.change(end(), NOW), Ok(PricingChange::End));

        let ended = Version { ended_at: Some(NOW), ..known };
        assert_eq!(ended.change(end(), NOW), Ok(PricingChange::Nothing));
        assert_eq!(ended.change(dearer(), NOW), Err(ChangeRefused::Ended));
        let back = PlanRequest { is_active: Some(true), ..dearer() };
        assert!(matches!(ended.change(back, NOW), Ok(PricingChange::Replace(_))));
    }
}
