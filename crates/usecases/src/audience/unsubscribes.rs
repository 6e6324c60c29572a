//! Recipients who unsubscribe by a link.

mod links;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use domain::audience::unsubscribe::Subscription;
use ports::{
    audience::unsubscribes::{SubscriptionTokens, UnsubscribeRepository},
    identity::organizations::OrganizationRepository,
    shared::clock::Clock,
};

pub use self::links::{CODE_PATH, Links, LinksDeps, TOKEN_PATH};
use crate::Error;

/// What a link consists of, behind the address of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link<'a> {
    /// A signed token, which says all by itself.
    Token(&'a str),
    /// The code of a contact.
    Code(&'a str),
}

/// What a link ends, as it is shown to whoever opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The name of the organization that advertises.
    pub organization: String,
    /// How it advertises, and to whom.
    pub subscription: Subscription,
}

/// Operations of recipients on their subscriptions.
#[derive(Clone)]
pub struct Unsubscribes {
    tokens: Arc<dyn SubscriptionTokens>,
    repository: Arc<dyn UnsubscribeRepository>,
    organizations: Arc<dyn OrganizationRepository>,
    clock: Arc<dyn Clock>,
}

impl Unsubscribes {
    /// Subscriptions that end by links with these tokens, or with the codes that `repository` keeps.
    pub fn new(
        tokens: Arc<dyn SubscriptionTokens>,
        repository: Arc<dyn UnsubscribeRepository>,
        organizations: Arc<dyn OrganizationRepository>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { tokens, repository, organizations, clock }
    }

    /// What a link ends. Nothing is changed: programs that look through mails open links, too.
    pub async fn show(&self, link: Link<'_>) -> Result<Offer, Error> {
        let subscription = self.subscription(link).await?.ok_or(NO_LINK)?;
        let organization = self.organizations.find(subscription.organization).await?;
        let organization = organization.ok_or(NO_LINK)?.name;
        Ok(Offer { organization, subscription })
    }

    /// Ends what a link ends. To do so again changes nothing.
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

/// The link is not ours, or its contact is gone.
const NO_LINK: Error = Error::NotFound("link");
