//! Mails about webhook endpoints that fail.

use std::sync::Arc;

use domain::{
    identity::organization::{Organization, Role},
    webhooks::webhook::{DEACTIVATED_AFTER, NOTICE_AFTER},
};
use ports::{
    identity::organizations::OrganizationRepository,
    shared::{clock::Clock, store::StoreError},
    webhooks::webhook_queue::{EndpointKey, FailingEndpoint, FailingEndpoints},
};

use crate::{Error, shared::mailer::Mailer};

/// Number of endpoints read at a time.
const AT_ONCE: usize = 50;

/// Mails to owners, sent on the second day on which every call of an endpoint fails.
#[derive(Clone)]
pub struct WebhookNotices {
    endpoints: Arc<dyn FailingEndpoints>,
    organizations: Arc<dyn OrganizationRepository>,
    mailer: Arc<dyn Mailer>,
    public_url: String,
    clock: Arc<dyn Clock>,
}

impl WebhookNotices {
    /// Sends notices about `endpoints` through `mailer`. They name `public_url`, which has no
    /// slash at the end.
    pub fn new(
        endpoints: Arc<dyn FailingEndpoints>,
        organizations: Arc<dyn OrganizationRepository>,
        mailer: Arc<dyn Mailer>,
        public_url: String,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { endpoints, organizations, mailer, public_url, clock }
    }

    /// Mails pending notices. Returns the number of their endpoints. To be called every half a
    /// minute; any number of instances may do so at once.
    pub async fn notify(&self) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let failing = self.endpoints.pending(now - NOTICE_AFTER, AT_ONCE).await?;
        let mut notified = 0;
        for endpoint in &failing {
            match self.notify_and_mark(endpoint).await {
                Ok(()) => notified += 1,
                Err(error) => {
                    let (organization, endpoint) =
                        (endpoint.key.organization, endpoint.key.endpoint);
                    tracing::warn!(
                        %error, %organization, %endpoint, "failed to mail that a webhook endpoint fails"
                    );
                }
            }
        }
        Ok(notified)
    }

    /// Marks the endpoint as notified after its mails were accepted. If that fails, they are
    /// submitted again under the same keys, each of which sends one mail.
    async fn notify_and_mark(&self, endpoint: &FailingEndpoint) -> Result<(), Error> {
        let organization = self.organizations.find(endpoint.key.organization).await?;
        if let Some(organization) = organization {
            self.mail(endpoint, &organization).await?;
        }
        Ok(self.endpoints.mark_notified(endpoint, self.clock.now()).await?)
    }

    async fn mail(
        &self,
        endpoint: &FailingEndpoint,
        organization: &Organization,
    ) -> Result<(), Error> {
        let members = self.organizations.members(organization.id).await?;
        for member in members.iter().filter(|member| member.is_mailed(&[Role::Owner])) {
            let since = endpoint.since.timestamp();
            let key = format!("webhook-fails-{}-{since}-{}", endpoint.key.endpoint, member.user);
            let body = body(endpoint, &self.public_url);
            self.mailer
                .send_service_notice(&member.email, "Your webhook endpoint fails", body, key)
                .await?;
        }
        Ok(())
    }
}

/// Text of a notice. It has the ID of the organization, since owners may own several, but neither
/// its name nor the URL, which are user input.
fn body(endpoint: &FailingEndpoint, public_url: &str) -> String {
    let EndpointKey { organization, endpoint: id } = endpoint.key;
    format!(
        "No call of the webhook endpoint {id} of the organization {organization} has succeeded since \
         {since} UTC.\n\n\
         What it answered is shown by GET {public_url}/webhook-endpoints/{id}/deliveries. A call \
         succeeds if it is answered with a status from 200 to 299 within 15 seconds.\n\n\
         If calls fail for {days} days, and for a day from now at least, the endpoint is deactivated. \
         What it missed can then be told again with POST {public_url}/webhook-endpoints/{id}/recover \
         once it is active.\n",
        since = endpoint.since.format("%Y-%m-%d %H:%M"),
        days = DEACTIVATED_AFTER.num_days(),
    )
}

#[cfg(test)]
mod tests;
