//! Mails about low balances.

use std::sync::Arc;

use domain::{
    identity::organization::{Organization, Role},
    shared::id::Id,
};
use ports::{
    identity::organizations::OrganizationRepository,
    money::spending::{BalanceChange, LowBalances},
    shared::store::StoreError,
};

use crate::{Error, shared::mailer::Mailer};

/// Number of wallets per page.
const PAGE: usize = 200;

/// Notifies owners and administrators of wallets that fell below their threshold.
#[derive(Clone)]
pub struct LowBalanceNotices {
    balances: Arc<dyn LowBalances>,
    organizations: Arc<dyn OrganizationRepository>,
    mailer: Arc<dyn Mailer>,
    public_url: String,
}

impl LowBalanceNotices {
    /// Creates notices about the changes in `balances`, sent by `mailer`. They contain `public_url`,
    /// which has no trailing slash.
    pub fn new(
        balances: Arc<dyn LowBalances>,
        organizations: Arc<dyn OrganizationRepository>,
        mailer: Arc<dyn Mailer>,
        public_url: String,
    ) -> Self {
        Self { balances, organizations, mailer, public_url }
    }

    /// Mails pending notices, one per fall and at most one per member and day, and records the wallets
    /// that rose again. Call every 30 seconds; any number of instances may do so at once. A failure is
    /// retried by the next call and does not delay other organizations.
    pub async fn notify(&self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let changes = self.balances.changes(after, PAGE).await?;
            for change in &changes {
                if let Err(error) = self.notify_and_record(change).await {
                    let organization = change.organization;
                    tracing::warn!(%error, %organization, "failed to mail a low balance");
                }
            }
            match changes.last() {
                Some(last) if changes.len() == PAGE => after = Some(last.organization),
                _ => return Ok(()),
            }
        }
    }

    /// Records a fall after its mails were accepted. If that fails, the mails are submitted again under
    /// the same idempotency keys, so each is sent once.
    async fn notify_and_record(&self, change: &BalanceChange) -> Result<(), Error> {
        if change.is_fall() {
            let organization = self.organizations.find(change.organization).await?;
            // Money of a closed one was given up, or is out of reach.
            if let Some(organization) = organization
                && organization.settings.closed_at.is_none()
            {
                self.mail(change, &organization).await?;
            }
        }
        Ok(self.balances.note(change).await?)
    }

    async fn mail(&self, change: &BalanceChange, organization: &Organization) -> Result<(), Error> {
        let members = self.organizations.members(organization.id).await?;
        let recipients =
            members.iter().filter(|member| member.is_mailed(&[Role::Owner, Role::Admin]));
        for member in recipients {
            // The key does not name the fall: changing the threshold can produce any number of falls.
            let key = format!("low-balance-{}-{}", organization.id, member.user);
            let body = body(change, organization.id, &self.public_url);
            self.mailer
                .send_service_notice(&member.email, "Your balance is low", body, key)
                .await?;
        }
        Ok(())
    }
}

/// The text names the organization by its identifier, because members may belong to several and the
/// name is user-supplied.
fn body(change: &BalanceChange, organization: Id<Organization>, public_url: &str) -> String {
    let BalanceChange { balance, threshold, .. } = change;
    format!(
        "The wallet of the organization {organization} holds {balance}, which is less than the {threshold} below which you want \
         to be told.\n\nWhat the wallet cannot pay for is not sent. To top it up, call POST \
         {public_url}/billing/top-up, or ask there for an invoice with the payment method \
         \"invoice\".\n\nYou are told again when the balance has risen to {threshold} and falls below \
         it another time, at most once a day. An owner or administrator can change the threshold: it is the setting \
         lowBalanceThreshold of the organization.\n"
    )
}

#[cfg(test)]
mod tests;
