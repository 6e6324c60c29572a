//! Mails about wallets that run low.

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

use crate::{Error, messaging::messages::Messages};

/// How many wallets are looked at together.
const PAGE: usize = 200;

/// Tells owners and administrators that a wallet fell below what they named.
#[derive(Clone)]
pub struct LowBalanceNotices {
    balances: Arc<dyn LowBalances>,
    organizations: Arc<dyn OrganizationRepository>,
    messages: Messages,
    public_url: String,
}

impl LowBalanceNotices {
    /// Notices about what `balances` sees, which `messages` sends. They name `public_url`, which has no
    /// slash at the end.
    pub fn new(
        balances: Arc<dyn LowBalances>,
        organizations: Arc<dyn OrganizationRepository>,
        messages: Messages,
        public_url: String,
    ) -> Self {
        Self { balances, organizations, messages, public_url }
    }

    /// Mails what is to be told, for each fall once and to nobody twice within a day, and notes which wallets rose again. To be called
    /// every half a minute; any number of instances may do so at once. What fails is tried again the
    /// next time, and delays nobody else.
    pub async fn tell(&self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let changes = self.balances.changes(after, PAGE).await?;
            for change in &changes {
                if let Err(error) = self.tell_and_note(change).await {
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

    /// A fall is noted after its mails were accepted. Should that fail they are sent again, under the
    /// same keys, of which each sends one mail.
    async fn tell_and_note(&self, change: &BalanceChange) -> Result<(), Error> {
        if change.is_fall() {
            let organization = self.organizations.find(change.organization).await?;
            if let Some(organization) = organization {
                self.mail(change, &organization).await?;
            }
        }
        Ok(self.balances.note(change).await?)
    }

    async fn mail(&self, change: &BalanceChange, organization: &Organization) -> Result<(), Error> {
        let members = self.organizations.members(organization.id).await?;
        let told = members.iter().filter(|member| member.is_mailed(&[Role::Owner, Role::Admin]));
        for member in told {
            // Not one for each fall: whoever changes the threshold makes as many as they like.
            let key = format!("low-balance-{}-{}", organization.id, member.user);
            let body = body(change, organization.id, &self.public_url);
            self.messages
                .send_service_notice(&member.email, "Your balance is low", body, key)
                .await?;
        }
        Ok(())
    }
}

/// The text tells which organization it is because its members may belong to several. Its name is
/// whatever somebody chose.
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
