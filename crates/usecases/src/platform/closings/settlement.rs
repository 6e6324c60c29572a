//! Settlement of closings: nothing stays scheduled, and money that was given up leaves the wallet.

use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
    },
    outreach::campaign::CampaignAction,
    platform::{audit::AuditEntry, closing::Closing},
    shared::{id::Id, money::Money},
};
use ports::platform::wallet_corrections::CorrectionOutcome;

use super::Closings;
use crate::Error;

/// Maximum number of closings read at a time.
const PAGE: usize = 100;
/// Maximum number of messages or campaigns cancelled at a time, and of such batches in a row: the rest
/// is cancelled in the background.
const BATCH: usize = 500;
const BATCHES: usize = 10;
/// Request to which the audit log ascribes settlements in the background.
const BACKGROUND: &str = "closing";

impl Closings {
    /// Settles closings that are not settled yet. Call every minute; any number of instances may do so at
    /// once. A failure is retried by the next call and does not delay other organizations.
    pub async fn settle_all(&self) -> Result<(), Error> {
        let request = RequestId::new(BACKGROUND);
        let mut after = None;
        loop {
            let closings = self.deps.closings.unsettled(after, PAGE).await?;
            for closing in &closings {
                if let Err(error) = self.settle_or_delete(closing, &request).await {
                    let organization = closing.organization;
                    tracing::warn!(%error, %organization, "failed to settle a closing");
                }
            }
            match closings.last() {
                Some(last) if closings.len() == PAGE => after = Some(last.organization),
                _ => return Ok(()),
            }
        }
    }

    /// Settles a closing, or deletes one that was cut short or has ended.
    async fn settle_or_delete(&self, closing: &Closing, request: &RequestId) -> Result<(), Error> {
        let now = self.deps.clock.now();
        if !closing.is_known_everywhere(now) {
            return Ok(());
        }
        if !self.is_closed(closing.organization).await? {
            return Ok(self.deps.closings.delete(closing.organization, closing.at).await?);
        }
        self.settle(closing, request).await?;
        if closing.is_settled(now) {
            self.deps.closings.mark_settled(closing.organization).await?;
        }
        Ok(())
    }

    /// Cancels scheduled work, and takes the balance out of the wallet if it was given up.
    pub(super) async fn settle(&self, closing: &Closing, request: &RequestId) -> Result<(), Error> {
        self.cancel_scheduled(closing.organization).await?;
        if closing.forfeits {
            self.forfeit(closing, request).await?;
        }
        Ok(())
    }

    /// Cancels messages that wait for their time, which refunds them, and campaigns that go on by
    /// themselves.
    pub(super) async fn cancel_scheduled(
        &self,
        organization: Id<Organization>,
    ) -> Result<(), Error> {
        for _ in 0..BATCHES {
            if self.deps.scheduled.cancel_scheduled(organization, BATCH).await? == 0 {
                break;
            }
        }
        for campaign in self.deps.closings.running_campaigns(organization, BATCH).await? {
            let now = self.deps.clock.now();
            self.deps.campaigns.act(organization, campaign, CampaignAction::Cancel, now).await?;
        }
        Ok(())
    }

    /// Takes the balance out of the wallet. Refunds that are not in the wallet yet follow with a later
    /// settlement.
    async fn forfeit(&self, closing: &Closing, request: &RequestId) -> Result<(), Error> {
        let wallet = self.deps.wallets.find(closing.organization).await?;
        let mut balance = wallet.map_or(Money::ZERO, |wallet| wallet.balance);
        while balance > Money::ZERO {
            // An owner who has restored it meanwhile keeps what is paid in from then on.
            if !self.is_closed(closing.organization).await? {
                return Ok(());
            }
            let correction = closing.forfeiture(balance, self.deps.clock.now());
            let (user, request) = (closing.closed_by, request.clone());
            let actor = Actor { user, request, is_impersonating: false };
            let entry = AuditEntry::of_correction(&correction, actor);
            match self.deps.corrections.make(&correction, None, &entry).await? {
                CorrectionOutcome::Insufficient(held) if held < balance => balance = held,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    async fn is_closed(&self, organization: Id<Organization>) -> Result<bool, Error> {
        let settings = self.deps.organizations.settings(organization).await?;
        Ok(settings.is_some_and(|settings| settings.closed_at.is_some()))
    }
}
