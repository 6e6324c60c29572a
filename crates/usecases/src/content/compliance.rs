//! Checks of texts, and what an organization has to know of its compliance.

use std::sync::Arc;

use domain::{
    content::compliance::{CheckedMessage, MessageCheck},
    identity::{caller::Caller, permission::Permission},
    shared::fault::Faults,
};
use ports::{
    audience::suppressions::SuppressionRepository, content::approvals::ApprovalRepository,
};

use crate::{Error, money::prices::Prices};

/// Operations on compliance.
#[derive(Clone)]
pub struct Compliance {
    suppressions: Arc<dyn SuppressionRepository>,
    approvals: Arc<dyn ApprovalRepository>,
    prices: Prices,
}

/// How an organization stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComplianceSummary {
    /// How many entries its suppression list has.
    pub suppressions: u64,
    /// How many of its approvals wait for a decision.
    pub pending_approvals: u64,
}

impl Compliance {
    /// Compliance, with these lists and prices.
    pub fn new(
        suppressions: Arc<dyn SuppressionRepository>,
        approvals: Arc<dyn ApprovalRepository>,
        prices: Prices,
    ) -> Self {
        Self { suppressions, approvals, prices }
    }

    /// Checks a text. Nothing of it is kept. `faults` is what is already known to be wrong.
    pub async fn check(
        &self,
        caller: &Caller,
        request: &MessageCheck,
        mut faults: Faults,
    ) -> Result<CheckedMessage, Error> {
        caller.authorize(Permission::Read)?;
        faults.merge_new("", request.faults());
        faults.or(())?;
        let prices = self.prices.current().await?;
        Ok(request.check(caller.organization, &prices))
    }

    /// How the organization stands.
    pub async fn summary(&self, caller: &Caller) -> Result<ComplianceSummary, Error> {
        caller.authorize(Permission::Read)?;
        let suppressions = self.suppressions.count(caller.organization).await?;
        let pending_approvals = self.approvals.count_pending(caller.organization).await?;
        Ok(ComplianceSummary { suppressions, pending_approvals })
    }
}
