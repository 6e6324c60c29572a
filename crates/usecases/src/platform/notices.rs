//! Notices: mails to people, written with their causes and sent from one place.

mod decision;
mod failing_endpoint;
mod low_balance;
mod traffic_alert;

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    identity::{
        organization::{Organization, Role},
        user::User,
    },
    platform::notice::{NoticeCause, pause_after},
    shared::id::Id,
};
use ports::{
    identity::{auth::UserRepository, organizations::OrganizationRepository},
    platform::notices::{DueNotice, NoticeQueue, NoticeResult},
    shared::store::StoreError,
};

use crate::{Error, shared::mailer::Mailer};

/// Number of notices taken at a time.
const AT_ONCE: usize = 20;
/// Time after which a notice is due again if the instance that took it has died.
const TIMEOUT: TimeDelta = TimeDelta::minutes(2);

/// Sender of notices.
#[derive(Clone)]
pub struct NoticeSender {
    deps: Arc<NoticeSenderDeps>,
}

/// Dependencies of [`NoticeSender`].
pub struct NoticeSenderDeps {
    /// Queue of notices.
    pub queue: Arc<dyn NoticeQueue>,
    /// Source of organizations and their members.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Source of users.
    pub users: Arc<dyn UserRepository>,
    /// Sender of mails.
    pub mailer: Arc<dyn Mailer>,
    /// URL of the API, which texts name. It has no slash at the end.
    pub public_url: String,
}

/// Text of a notice.
struct Mail {
    subject: String,
    body: String,
}

/// Person who gets a mail.
struct Recipient {
    user: Id<User>,
    email: String,
}

impl NoticeSender {
    /// Creates the sender from its dependencies.
    pub fn new(deps: NoticeSenderDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Sends some due notices, and returns their number. One that fails is retried after growing pauses
    /// for three days, and delays no other. Any number of instances may call this at once.
    pub async fn send_due(&self) -> Result<usize, StoreError> {
        let due = self.deps.queue.take_due(TIMEOUT, AT_ONCE).await?;
        for notice in &due {
            let result = self.attempt(notice).await;
            if let Err(error) = self.deps.queue.record(notice, result).await {
                let (organization, key) = (notice.organization, &notice.key);
                tracing::warn!(%error, %organization, %key, "failed to record that a notice was sent");
            }
        }
        Ok(due.len())
    }

    async fn attempt(&self, notice: &DueNotice) -> NoticeResult {
        let Err(error) = self.send(notice).await else { return NoticeResult::Sent };
        let (organization, key) = (notice.organization, &notice.key);
        match pause_after(notice.attempt) {
            Some(pause) => {
                tracing::warn!(%error, %organization, %key, "failed to send a notice; it is retried");
                NoticeResult::Retry(pause)
            }
            None => {
                tracing::warn!(%error, %organization, %key, "failed to send a notice; it is given up");
                NoticeResult::GivenUp
            }
        }
    }

    /// Mails a notice to each recipient. If that is repeated, the mails have the same keys, each of which
    /// sends one mail a day. A failure leaves no other recipient out.
    async fn send(&self, notice: &DueNotice) -> Result<(), Error> {
        let Some(cause) = &notice.cause else {
            return Err(Error::Internal("this version cannot read the notice".into()));
        };
        let Mail { subject, body } = self.mail(notice.organization, cause);
        let mut sent = Ok(());
        for Recipient { user, email } in self.recipients(notice, cause).await? {
            let key = mail_key(notice, cause, user);
            let mailed =
                self.deps.mailer.send_service_notice(&email, &subject, body.clone(), key).await;
            sent = sent.and(mailed);
        }
        sent
    }

    fn mail(&self, organization: Id<Organization>, cause: &NoticeCause) -> Mail {
        let public_url = &self.deps.public_url;
        match cause {
            NoticeCause::Decision(decided) => decision::mail(decided),
            NoticeCause::LowBalance { balance, threshold } => {
                low_balance::mail(organization, (*balance, *threshold), public_url)
            }
            NoticeCause::FailingEndpoint { endpoint, since } => {
                failing_endpoint::mail(organization, (*endpoint, *since), public_url)
            }
            NoticeCause::TrafficAlert(alert) => traffic_alert::mail(alert, public_url),
        }
    }

    async fn recipients(
        &self,
        notice: &DueNotice,
        cause: &NoticeCause,
    ) -> Result<Vec<Recipient>, Error> {
        match cause {
            NoticeCause::Decision(decided) => self.requester(notice, decided.requested_by).await,
            NoticeCause::LowBalance { .. } => {
                // Money of a closed one was given up, or is out of reach.
                if self.is_closed(notice.organization).await? {
                    return Ok(Vec::new());
                }
                self.members(notice.organization, &[Role::Owner, Role::Admin]).await
            }
            NoticeCause::FailingEndpoint { .. } | NoticeCause::TrafficAlert(_) => {
                self.members(notice.organization, &[Role::Owner]).await
            }
        }
    }

    /// Returns the user who requested an approval, if the address is verified.
    async fn requester(&self, notice: &DueNotice, user: Id<User>) -> Result<Vec<Recipient>, Error> {
        let Some(user) = self.deps.users.find(user).await? else {
            let (organization, key) = (notice.organization, &notice.key);
            tracing::warn!(%organization, %key, "found nobody to mail the decision to");
            return Ok(Vec::new());
        };
        if user.email_verified_at.is_none() {
            return Ok(Vec::new());
        }
        Ok(vec![Recipient { user: user.id, email: user.email }])
    }

    async fn members(
        &self,
        organization: Id<Organization>,
        roles: &[Role],
    ) -> Result<Vec<Recipient>, Error> {
        let members = self.deps.organizations.members(organization).await?;
        let mailed = members.into_iter().filter(|member| member.is_mailed(roles));
        Ok(mailed.map(|member| Recipient { user: member.user, email: member.email }).collect())
    }

    async fn is_closed(&self, organization: Id<Organization>) -> Result<bool, Error> {
        let found = self.deps.organizations.find(organization).await?;
        Ok(found.is_none_or(|organization| organization.settings.closed_at.is_some()))
    }
}

/// Returns the idempotency key of the mail to a user. That of a low balance does not name the fall:
/// changing the threshold can produce any number of falls.
fn mail_key(notice: &DueNotice, cause: &NoticeCause, user: Id<User>) -> String {
    match cause {
        NoticeCause::LowBalance { .. } => format!("low-balance-{}-{user}", notice.organization),
        NoticeCause::Decision(_)
        | NoticeCause::FailingEndpoint { .. }
        | NoticeCause::TrafficAlert(_) => format!("{}-{user}", notice.key),
    }
}

#[cfg(test)]
mod tests;
