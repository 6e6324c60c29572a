//! Unsubscribe links in messages.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use domain::{
    audience::{
        contact::Contact,
        unsubscribe::{Subscription, UnsubscribeCode, can_carry_link},
    },
    identity::organization::Organization,
    shared::{address::Address, channel::Channel, id::Id},
};
use ports::{
    audience::unsubscribes::{SubscriptionTokens, UnsubscribeLinks, UnsubscribeRepository},
    shared::{random::Random, store::StoreError},
};

/// Path of links with tokens.
pub const TOKEN_PATH: &str = "/unsubscribe/";
/// Path of links with codes; short, because SMS are priced by length.
pub const CODE_PATH: &str = "/u/";

/// Codes proposed for a contact before giving up.
const PROPOSALS: usize = 2;

/// Dependencies of [`Links`].
pub struct LinksDeps {
    /// Issuer of the tokens in long links.
    pub tokens: Arc<dyn SubscriptionTokens>,
    /// Store of the codes in short links.
    pub repository: Arc<dyn UnsubscribeRepository>,
    /// Source of unguessable codes.
    pub random: Arc<dyn Random>,
    /// Address of the service, without a trailing slash.
    pub public_url: String,
}

/// Generator of unsubscribe links.
pub struct Links(LinksDeps);

impl Links {
    /// Creates the generator from its dependencies.
    pub fn new(deps: LinksDeps) -> Self {
        Self(deps)
    }

    fn short_link(&self, code: &UnsubscribeCode) -> String {
        format!("{}{CODE_PATH}{code}", self.0.public_url)
    }

    /// Returns the codes of contacts of one organization; a contact without a code is missing.
    async fn codes(
        &self,
        organization: Id<Organization>,
        contacts: impl Iterator<Item = Id<Contact>>,
    ) -> Result<HashMap<Id<Contact>, UnsubscribeCode>, StoreError> {
        let mut waiting: Vec<_> = contacts.collect();
        let mut codes = HashMap::with_capacity(waiting.len());
        for _ in 0..PROPOSALS {
            if waiting.is_empty() {
                break;
            }
            let propose =
                |id: &_| (*id, UnsubscribeCode::new_in(organization, self.0.random.secret()));
            let proposed: Vec<_> = waiting.iter().map(propose).collect();
            codes.extend(self.0.repository.codes(organization, &proposed).await?);
            waiting.retain(|id| !codes.contains_key(id));
        }
        Ok(codes)
    }

    async fn short_links(&self, contacts: &[Contact]) -> Result<Vec<Option<String>>, StoreError> {
        let Some(first) = contacts.first() else { return Ok(Vec::new()) };
        let reachable = contacts.iter().filter(|contact| contact.phone.is_some());
        let codes = self.codes(first.organization, reachable.map(|contact| contact.id)).await?;
        let link = |contact: &Contact| codes.get(&contact.id).map(|code| self.short_link(code));
        Ok(contacts.iter().map(link).collect())
    }
}

#[async_trait]
impl UnsubscribeLinks for Links {
    fn link(&self, subscription: &Subscription) -> String {
        format!("{}{TOKEN_PATH}{}", self.0.public_url, self.0.tokens.issue(subscription))
    }

    fn sample(&self, organization: Id<Organization>, channel: Channel) -> Option<String> {
        let address = match channel {
            Channel::Sms => {
                return Some(self.short_link(&UnsubscribeCode::new_in(organization, [0; 32])));
            }
            Channel::Email => "somebody@example.com",
            _ => "+233000000000",
        };
        let address = Address::stored(address.to_owned());
        let subscription = Subscription { organization, channel, address };
        can_carry_link(channel).then(|| self.link(&subscription))
    }

    async fn links_of(
        &self,
        channel: Channel,
        contacts: &[Contact],
    ) -> Result<Vec<Option<String>>, StoreError> {
        if channel == Channel::Sms {
            return self.short_links(contacts).await;
        }
        let link = |contact| Some(self.link(&Subscription::of_contact(contact, channel)?));
        Ok(contacts.iter().map(link).collect())
    }
}
