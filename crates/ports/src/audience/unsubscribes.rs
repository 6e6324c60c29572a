//! Unsubscribe links.
//!
//! ```
//! use domain::audience::unsubscribe::Subscription;
//! use ports::audience::unsubscribes::SubscriptionTokens;
//!
//! /// Returns a subscription as its token is read.
//! fn read_back(tokens: &dyn SubscriptionTokens, of: &Subscription) -> Option<Subscription> {
//!     tokens.read(&tokens.issue(of))
//! }
//! ```

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

use crate::shared::{nobody::Nobody, store::StoreError};

/// Creates the unsubscribe links in messages.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UnsubscribeLinks: Send + Sync {
    /// Returns the link that ends a subscription. It is signed and self-contained, so creating it looks
    /// nothing up, and it never expires.
    fn link(&self, subscription: &Subscription) -> String;

    /// Returns a link of the same form as those of an organization's contacts on a channel, for previews
    /// and for counting the length of a text. It ends no subscription. `None` if messages carry no links.
    fn sample(&self, organization: Id<Organization>, channel: Channel) -> Option<String>;

    /// Returns the links of contacts of one organization on a channel, in their order. Those for
    /// [`Channel::Sms`] are short and never change. `None` for deleted contacts, for contacts without an
    /// address on the channel, and if messages carry no links.
    async fn links_of(
        &self,
        channel: Channel,
        contacts: &[Contact],
    ) -> Result<Vec<Option<String>>, StoreError>;
}

/// Makes no links, for messages without any.
#[async_trait]
impl UnsubscribeLinks for Nobody {
    fn link(&self, _: &Subscription) -> String {
        String::new()
    }

    fn sample(&self, _: Id<Organization>, _: Channel) -> Option<String> {
        None
    }

    async fn links_of(
        &self,
        _: Channel,
        contacts: &[Contact],
    ) -> Result<Vec<Option<String>>, StoreError> {
        Ok(vec![None; contacts.len()])
    }
}

/// Writes and reads the tokens of self-contained links.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SubscriptionTokens: Send + Sync {
    /// Returns the token that ends a subscription.
    fn issue(&self, subscription: &Subscription) -> String;

    /// Returns the subscription that a token ends; `None` if this service did not issue it.
    fn read(&self, token: &str) -> Option<Subscription>;
}

/// Stores the codes of short links, and records opt-outs.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UnsubscribeRepository: Send + Sync {
    /// Returns the codes of contacts. A contact without a code gets the proposed one. Left out are deleted
    /// contacts and, very rarely, a contact whose proposed code belongs to another contact.
    async fn codes(
        &self,
        organization: Id<Organization>,
        proposed: &[(Id<Contact>, UnsubscribeCode)],
    ) -> Result<HashMap<Id<Contact>, UnsubscribeCode>, StoreError>;

    /// Returns the subscription that a code ends: that of its contact to text messages, at the contact's
    /// current number. `None` if the code is unknown or its contact has no number.
    async fn subscription(
        &self,
        code: &UnsubscribeCode,
    ) -> Result<Option<Subscription>, StoreError>;

    /// Puts an address on an organization's suppression list and publishes an event, unless the same entry
    /// exists. Returns true if it was added.
    async fn opt_out(&self, opt_out: &OptOut) -> Result<bool, StoreError>;
}
