//! Checks of texts, and compliance figures of organizations.

use std::sync::Arc;

use derive_more::Constructor;
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
#[derive(Clone, Constructor)]
pub struct Compliance {
    suppressions: Arc<dyn SuppressionRepository>,
    approvals: Arc<dyn ApprovalRepository>,
    prices: Prices,
}

/// Compliance figures of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComplianceSummary {
    /// Number of entries in its suppression list.
    pub suppressions: u64,
    /// Number of its pending approvals.
    pub pending_approvals: u64,
}

impl Compliance {
    /// Checks a text without storing it. `faults` holds the faults found so far.
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
        Ok(request.check(caller.organization, &caller.policy.settings.ways_out, &prices))
    }

    /// Returns the compliance figures of the caller's organization.
    pub async fn summary(&self, caller: &Caller) -> Result<ComplianceSummary, Error> {
        caller.authorize(Permission::Read)?;
        let suppressions = self.suppressions.count(caller.organization).await?;
        let pending_approvals = self.approvals.count_pending(caller.organization).await?;
        Ok(ComplianceSummary { suppressions, pending_approvals })
    }
}
