//! Unsubscription of recipients by links.

mod links;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use derive_more::Constructor;
use domain::audience::unsubscribe::Subscription;
use ports::{
    audience::unsubscribes::{SubscriptionTokens, UnsubscribeRepository},
    identity::organizations::OrganizationRepository,
    shared::clock::Clock,
};

pub use self::links::{CODE_PATH, Links, LinksDeps, TOKEN_PATH};
use crate::Error;

/// Variable part of a link, after the address of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link<'a> {
    /// Signed token that contains the subscription.
    Token(&'a str),
    /// Code of a contact.
    Code(&'a str),
}

/// Subscription of a link, as shown to the recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Name of the organization that advertises.
    pub organization: String,
    /// Subscription that the link ends.
    pub subscription: Subscription,
}

/// Operations of recipients on their subscriptions.
#[derive(Clone, Constructor)]
pub struct Unsubscribes {
    tokens: Arc<dyn SubscriptionTokens>,
    repository: Arc<dyn UnsubscribeRepository>,
    organizations: Arc<dyn OrganizationRepository>,
    clock: Arc<dyn Clock>,
}

impl Unsubscribes {
    /// Returns the subscription of a link without ending it: programs that scan mails open links, too.
    pub async fn show(&self, link: Link<'_>) -> Result<Offer, Error> {
        let subscription = self.subscription(link).await?.ok_or(NO_LINK)?;
        let organization = self.organizations.find(subscription.organization).await?;
        let organization = organization.ok_or(NO_LINK)?.name;
        Ok(Offer { organization, subscription })
    }

    /// Ends the subscription of a link. It is idempotent.
    pub async fn unsubscribe(&self, link: Link<'_>) -> Result<Offer, Error> {
        let offer = self.show(link).await?;
        let opt_out = offer.subscription.clone().opt_out(self.clock.now());
        if self.repository.opt_out(&opt_out).await? {
            let (organization_id, channel) = (opt_out.organization, opt_out.channel.as_str());
            let recipient = opt_out.address.masked();
            tracing::info!(%organization_id, channel, recipient, "a recipient unsubscribed by a link");
        }
        Ok(offer)
    }

    async fn subscription(&self, link: Link<'_>) -> Result<Option<Subscription>, Error> {
        match link {
            Link::Token(token) => Ok(self.tokens.read(token)),
            Link::Code(text) => {
                let Ok(code) = text.parse() else { return Ok(None) };
                Ok(self.repository.subscription(&code).await?)
            }
        }
    }
}

/// The link is invalid, or its contact was deleted.
const NO_LINK: Error = Error::NotFound("link");
