//! Contacts: the people that organizations write to.
//!
//! ```
//! use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
//! use ports::{audience::contacts::ContactRepository, shared::store::StoreError};
//!
//! async fn has_phone(
//!     contacts: &dyn ContactRepository,
//!     shop: Id<Organization>,
//!     id: Id<Contact>,
//! ) -> Result<bool, StoreError> {
//!     let found = contacts.find(shop, id).await?;
//!     Ok(found.is_some_and(|contact| contact.phone.is_some()))
//! }
//! ```

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::{
        contact::{Contact, ContactDetails, ContactFilter, ContactUpdate},
        segment::Segment,
    },
    identity::organization::Organization,
    shared::{
        address::Address,
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::{nobody::Nobody, store::StoreError};

/// Stores contacts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ContactRepository: Send + Sync {
    /// Returns a page of the contacts, newest first. With a filter they are counted up to
    /// [`MOST_FOUND`](domain::shared::page::MOST_FOUND).
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<Contact>, StoreError>;

    /// Finds a contact; `None` if the organization has no such contact.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
    ) -> Result<Option<Contact>, StoreError>;

    /// Adds a contact, unless another contact of the organization has its phone number or mail address.
    async fn insert(&self, contact: &Contact) -> Result<Inserted, StoreError>;

    /// Updates a contact, and locks it against other changes meanwhile.
    async fn update(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
        update: &ContactUpdate,
    ) -> Result<Updated, StoreError>;

    /// Deletes a contact, and marks the person's messages for erasure. Returns false if there is no such
    /// contact.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
    ) -> Result<bool, StoreError>;

    /// Returns up to `limit` contacts older than `before`, newest first, after a look at a limited
    /// number of contacts.
    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        before: Option<Id<Contact>>,
        limit: usize,
    ) -> Result<ContactPart, StoreError>;

    /// True if the organization has the segment.
    async fn has_segment(
        &self,
        organization: Id<Organization>,
        segment: Id<Segment>,
    ) -> Result<bool, StoreError>;

    /// Returns these contacts in the same order, with the last messages to them of those accepted
    /// since a time.
    async fn details(
        &self,
        organization: Id<Organization>,
        contacts: Vec<Contact>,
        since: DateTime<Utc>,
    ) -> Result<Vec<ContactDetails>, StoreError>;

    /// Returns the times at which the contacts were last written.
    async fn written_at(
        &self,
        organization: Id<Organization>,
        contacts: &[Id<Contact>],
    ) -> Result<HashMap<Id<Contact>, DateTime<Utc>>, StoreError>;
}

/// Part of the contacts, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactPart {
    /// Contacts of the part.
    pub contacts: Vec<Contact>,
    /// Contact after which the next part begins; `None` at the end. It need not be one of the part,
    /// which is short or empty if too many contacts that do not pass the filter come first.
    pub next: Option<Id<Contact>>,
}

/// Result of adding a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inserted {
    /// Added.
    Done,
    /// Another contact has its address; nothing was added.
    Taken(TakenAddress),
    /// A campaign has started past the contact's identifier, so the contact needs a later one.
    Overtaken,
}

/// Result of updating a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once")]
pub enum Updated {
    /// Updated; the contact as it is now.
    Done(Contact),
    /// The contact does not exist.
    Missing,
    /// The changes are invalid for the contact as it is now.
    Invalid(Faults),
    /// Another contact has the new address; nothing was changed.
    Taken(TakenAddress),
}

/// Address that another contact of the organization has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenAddress {
    /// Kind of the address.
    pub field: UniqueField,
    /// Contact that has it.
    pub contact: Id<Contact>,
}

domain::closed_list! {
    /// Field that is unique among the contacts of an organization.
    pub enum UniqueField {
        /// Phone number.
        Phone = "phone",
        /// Mail address.
        Email = "email",
    }
}

/// Push tokens of contacts, as delivery uses them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeviceTokens: Send + Sync {
    /// Removes a push token that reaches no device any more from the contacts of an organization.
    async fn forget_device_token(
        &self,
        organization: Id<Organization>,
        token: &Address,
    ) -> Result<(), StoreError>;
}

/// Knows no contacts.
#[async_trait]
impl DeviceTokens for Nobody {
    async fn forget_device_token(
        &self,
        _: Id<Organization>,
        _: &Address,
    ) -> Result<(), StoreError> {
        Ok(())
    }
}
