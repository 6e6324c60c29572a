//! Transfer of organizations' spending rules to their wallets. As with the creation of an organization
//! there are two steps, since the organization and its wallet may be on different servers. The second
//! step can be repeated at any time.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{identity::organization::Organization, shared::id::Id};
use ports::{money::spending::SpendingRulesStore, shared::store::StoreError};

/// Number of organizations per pass.
const PAGE: usize = 100;

/// Applies the rules of organizations to their wallets.
#[derive(Clone, Constructor)]
pub struct Spending {
    rules: Arc<dyn SpendingRulesStore>,
}

impl Spending {
    /// Applies the rules of an organization. Without a wallet they are applied later.
    pub async fn apply(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        let Some((rules, version)) = self.rules.rules(organization).await? else { return Ok(()) };
        if self.rules.apply(organization, rules, version).await? {
            self.rules.mark_applied(organization, version).await?;
        }
        Ok(())
    }

    /// Applies the rules of organizations for which that was interrupted. Call every few seconds; any
    /// number of instances may do so at once. A failure does not delay other organizations.
    pub async fn apply_left(&self) -> Result<usize, StoreError> {
        let left = self.rules.unapplied(PAGE).await?;
        let mut applied = 0;
        for organization in left {
            match self.apply(organization).await {
                Ok(()) => applied += 1,
                Err(error) => {
                    tracing::warn!(%error, %organization, "failed to apply spending rules to a wallet");
                }
            }
        }
        Ok(applied)
    }
}

#[cfg(test)]
mod tests {
    use domain::{identity::spending::SpendingRules, shared::money::Money};
    use ports::shared::mock::MockSpendingRulesStore;

    use super::*;
    use crate::shared::fixtures::{away, tenant};

    const RULES: SpendingRules = SpendingRules {
        low_balance_threshold: Some(Money::from_cedis(5)),
        daily_limit: Some(Money::from_cedis(20)),
    };

    #[tokio::test]
    async fn rules_are_marked_as_applied_only_when_a_wallet_has_them() {
        for has_wallet in [true, false] {
            let mut rules = MockSpendingRulesStore::new();
            rules.expect_rules().returning(|_| Ok(Some((RULES, 3))));
            let apply = rules.expect_apply().once();
            apply.returning(move |_, applied, version| {
                assert_eq!((applied, version), (RULES, 3));
                Ok(has_wallet)
            });
            let mark = rules.expect_mark_applied().withf(|_, version| *version == 3);
            mark.times(usize::from(has_wallet)).returning(|_, _| Ok(()));

            Spending::new(Arc::new(rules)).apply(tenant()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn an_organization_that_fails_delays_no_other() {
        let mut rules = MockSpendingRulesStore::new();
        rules.expect_unapplied().returning(|_| Ok(vec![tenant(), other()]));
        rules.expect_rules().returning(|_| Ok(Some((RULES, 1))));
        rules.expect_apply().returning(|organization, _, _| {
            if organization == tenant() { Err(away()) } else { Ok(true) }
        });
        rules.expect_mark_applied().once().returning(|_, _| Ok(()));

        assert_eq!(Spending::new(Arc::new(rules)).apply_left().await.unwrap(), 1);
    }

    fn other() -> Id<Organization> {
        "018bcfe5-6800-7000-8000-000000000002".parse().unwrap()
    }
}
