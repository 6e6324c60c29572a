//! Links by which recipients unsubscribe.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::{
    audience::{
        contact::Contact,
        suppression::OptOut,
        unsubscribe::{Subscription, UnsubscribeCode},
    },
    identity::organization::Organization,
    shared::{channel::Channel, id::Id},
};

use crate::shared::store::StoreError;

/// Makes the links that messages carry.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UnsubscribeLinks: Send + Sync {
    /// The link that ends a subscription. It is signed and says all by itself, so nothing is looked
    /// up to make it, and it is valid for good.
    fn link(&self, subscription: &Subscription) -> String;

    /// A link like those of an organization's contacts on a channel, which leads nowhere: to show and
    /// to count what a text comes to. `None` where messages carry no links.
    fn sample(&self, organization: Id<Organization>, channel: Channel) -> Option<String>;

    /// The links of contacts of one organization on a channel, in their order: short ones for
    /// [`Channel::Sms`], which stay the same for good. `None` for contacts that are gone or have no
    /// address there, and where messages carry no links.
    async fn links_of(
        &self,
        channel: Channel,
        contacts: &[Contact],
    ) -> Result<Vec<Option<String>>, StoreError>;
}

/// Writes and reads the tokens of links that say all by themselves.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SubscriptionTokens: Send + Sync {
    /// The token that ends a subscription.
    fn issue(&self, subscription: &Subscription) -> String;

    /// The subscription that a token ends; `None` if it is none of ours.
    fn read(&self, token: &str) -> Option<Subscription>;
}

/// Keeps the codes of short links, and enters who unsubscribed.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UnsubscribeRepository: Send + Sync {
    /// The codes of contacts. Those that have none get the one that is proposed for them. Contacts
    /// that are gone are left out, and so is, once in a great while, one whose proposed code is
    /// somebody else's.
    async fn codes(
        &self,
        organization: Id<Organization>,
        proposed: &[(Id<Contact>, UnsubscribeCode)],
    ) -> Result<HashMap<Id<Contact>, UnsubscribeCode>, StoreError>;

    /// What a code ends: the subscription of its contact to text messages, at the number that the
    /// contact has now. `None` if nobody has the code, or its contact has no number.
    async fn subscription(
        &self,
        code: &UnsubscribeCode,
    ) -> Result<Option<Subscription>, StoreError>;

    /// Puts an address on an organization's suppression list and tells the organization, unless it is
    /// there for the same. Whether it was not.
    async fn opt_out(&self, opt_out: &OptOut) -> Result<bool, StoreError>;
}
