//! Closing of organizations by their owners, and its end.

mod cancellation;
mod settlement;

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        organization::{Organization, Role},
        user::User,
    },
    platform::{
        audit::{AuditAction, AuditEntry},
        closing::Closing,
    },
    shared::{id::Id, money::Money},
};
use ports::{
    identity::{identity_store::IdentityStore, organizations::OrganizationRepository},
    money::billing::WalletRepository,
    outreach::campaigns::CampaignRepository,
    platform::{
        audit_log::AuditLog, closings::ClosingRepository,
        wallet_corrections::WalletCorrectionRepository,
    },
    shared::clock::Clock,
};

pub use self::cancellation::MessageCancellation;
use crate::{Error, Reason, identity::policies::Policies, shared::mailer::Mailer};

/// The wallet holds money that the owner has not given up.
pub const WALLET_NOT_EMPTY: Reason = Reason::new(
    "WALLET_NOT_EMPTY",
    "the wallet holds money: spend it, or give it up with `forfeit`",
);

const NOT_FOUND: Error = Error::NotFound("organization");
/// Time for which a repeated closing mails the owners again, in case a mail is missing. Idempotency
/// keys are kept as long, so that no owner gets two mails.
const MAILED: TimeDelta = TimeDelta::hours(23);

/// Operations that close and restore organizations.
#[derive(Clone)]
pub struct Closings {
    deps: Arc<ClosingsDeps>,
}

/// Dependencies of [`Closings`].
pub struct ClosingsDeps {
    /// Store of closings.
    pub closings: Arc<dyn ClosingRepository>,
    /// Source of organizations and their members.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Transactions that change organizations.
    pub identity: Arc<dyn IdentityStore>,
    /// Source of wallets.
    pub wallets: Arc<dyn WalletRepository>,
    /// Ledger entries for money that was given up.
    pub corrections: Arc<dyn WalletCorrectionRepository>,
    /// Campaigns, which end with the closing.
    pub campaigns: Arc<dyn CampaignRepository>,
    /// Messages that wait for their time, which are cancelled.
    pub scheduled: Arc<dyn MessageCancellation>,
    /// Sender of mails to owners.
    pub mailer: Arc<dyn Mailer>,
    /// Audit log of the changes.
    pub audit_log: Arc<dyn AuditLog>,
    /// Cached policies, evicted on changes.
    pub policies: Policies,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl Closings {
    /// Creates the operations from their dependencies.
    pub fn new(deps: ClosingsDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Closes the caller's organization, and mails its owners. Scheduled messages and campaigns are
    /// cancelled. `forfeits` is true if the owner gives up the money in the wallet. A partial failure can
    /// be repeated.
    pub async fn close(
        &self,
        caller: &Caller,
        forfeits: bool,
        request: RequestId,
    ) -> Result<(), Error> {
        let (owner, id) = (caller.owner()?, caller.organization);
        let organization = self.deps.organizations.find(id).await?.ok_or(NOT_FOUND)?;
        let now = self.deps.clock.now();
        let closing = match organization.settings.closed_at {
            Some(at) => Closing { organization: id, closed_by: owner, forfeits, at },
            None => {
                let closing = Closing { organization: id, closed_by: owner, forfeits, at: now };
                if !forfeits {
                    self.require_empty_wallet(id).await?;
                    // What is refunded for them is to be in the wallet when it is checked again.
                    self.cancel_scheduled(id).await?;
                    self.require_empty_wallet(id).await?;
                }
                let details = BTreeMap::from([("forfeits", forfeits.to_string())]);
                let action = AuditAction::OrganizationClosed;
                self.write_down((owner, request.clone()), action, id, details).await?;
                self.deps.closings.insert(&closing).await?;
                self.set_closed_at(id, Some(now)).await?;
                tracing::info!(organization = %id, forfeits, "an owner closed an organization");
                closing
            }
        };
        if now - closing.at < MAILED {
            self.notify_owners(&closing).await?;
        }
        self.settle(&closing, &request).await
    }

    /// Opens the caller's organization again. One that is open is left unchanged. One that was closed too
    /// long ago is not found.
    pub async fn restore(&self, caller: &Caller, request: RequestId) -> Result<(), Error> {
        let (owner, id) = (caller.owner()?, caller.organization);
        let organization = self.deps.organizations.find(id).await?.ok_or(NOT_FOUND)?;
        let Some(closed_at) = organization.settings.closed_at else { return Ok(()) };
        if organization.settings.is_closed_for_good(self.deps.clock.now()) {
            return Err(NOT_FOUND);
        }
        let action = AuditAction::OrganizationRestored;
        self.write_down((owner, request), action, id, BTreeMap::new()).await?;
        self.set_closed_at(id, None).await?;
        // If this fails, the next settlement deletes it.
        self.deps.closings.delete(id, closed_at).await?;
        tracing::info!(organization = %id, "an owner restored an organization");
        Ok(())
    }

    async fn require_empty_wallet(&self, organization: Id<Organization>) -> Result<(), Error> {
        let wallet = self.deps.wallets.find(organization).await?;
        let is_empty = wallet.is_none_or(|wallet| wallet.balance <= Money::ZERO);
        if is_empty { Ok(()) } else { Err(Error::Conflict(WALLET_NOT_EMPTY)) }
    }

    /// Sets the time of the closing, and evicts the cached policy.
    async fn set_closed_at(
        &self,
        id: Id<Organization>,
        closed_at: Option<DateTime<Utc>>,
    ) -> Result<(), Error> {
        let mut tx = self.deps.identity.begin().await?;
        let mut organization = tx.lock_organization(id).await?.ok_or(NOT_FOUND)?;
        organization.settings.closed_at = closed_at;
        tx.update_organization(&organization).await?;
        tx.commit().await?;
        self.deps.policies.forget(id);
        Ok(())
    }

    /// Adds a line to the audit log of the organization, before the change: the log may contain a change
    /// that then failed, but never lacks one that was made.
    async fn write_down(
        &self,
        (user, request): (Id<User>, RequestId),
        action: AuditAction,
        id: Id<Organization>,
        details: BTreeMap<&'static str, String>,
    ) -> Result<(), Error> {
        let actor = Actor { user, request, is_impersonating: false };
        let entry = AuditEntry::of(id, self.deps.clock.now(), actor, action).with(details);
        Ok(self.deps.audit_log.record(&entry).await?)
    }

    async fn notify_owners(&self, closing: &Closing) -> Result<(), Error> {
        let members = self.deps.organizations.members(closing.organization).await?;
        for owner in members.iter().filter(|member| member.is_mailed(&[Role::Owner])) {
            let since = closing.at.timestamp_millis();
            let key = format!("closing-{}-{since}-{}", closing.organization, owner.user);
            let subject = "Your organization was closed";
            self.deps.mailer.send_service_notice(&owner.email, subject, mail(closing), key).await?;
        }
        Ok(())
    }
}

/// Returns the text of the mail to an owner. The name of the organization is left out, because it is
/// user-supplied.
fn mail(closing: &Closing) -> String {
    let at = closing.at.format("%Y-%m-%d %H:%M UTC");
    format!(
        "Your organization {} was closed on {at} by the owner {}. It accepts nothing any more, and \
         scheduled messages and campaigns are cancelled. Messages that were on their way are still \
         delivered.\n\nAn owner can restore it for 30 days: POST /organizations/current/restore. \
         After that it is erased, except for its ledger, its invoices and its audit log.\n",
        closing.organization, closing.closed_by
    )
}

#[cfg(test)]
mod tests;
