//! Contacts: whom organizations write to.

use async_trait::async_trait;
use domain::{
    audience::contact::{Contact, ContactFilter, ContactUpdate},
    identity::organization::Organization,
    shared::{
        address::Address,
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps contacts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ContactRepository: Send + Sync {
    /// A page of the contacts, newest first. A search is counted up to [`MOST_FOUND`](domain::shared::page::MOST_FOUND).
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<Contact>, StoreError>;

    /// A contact; `None` if the organization has no such one.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
    ) -> Result<Option<Contact>, StoreError>;

    /// Adds a contact, unless another one of the organization has its phone or mail address.
    async fn insert(&self, contact: &Contact) -> Result<Inserted, StoreError>;

    /// Changes a contact, which nobody else changes meanwhile.
    async fn update(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
        update: &ContactUpdate,
    ) -> Result<Updated, StoreError>;

    /// Deletes a contact, and notes that the person's messages are to be erased; false if there is no
    /// such contact.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Contact>,
    ) -> Result<bool, StoreError>;
}

/// What became of a contact that was to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inserted {
    /// It is there.
    Done,
    /// Another contact has its address.
    Taken(TakenAddress),
    /// A campaign has begun behind its identifier, so it needs a later one.
    Overtaken,
}

/// What became of a contact that was to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Updated {
    /// It is like this now.
    Done(Contact),
    /// There is no such contact.
    Missing,
    /// As the contact is now, the changes are wrong.
    Invalid(Faults),
    /// Another contact has the new address.
    Taken(TakenAddress),
}

/// An address that another contact of the organization has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenAddress {
    /// Which of the addresses.
    pub field: UniqueField,
    /// Who has it.
    pub contact: Id<Contact>,
}

/// What an organization has once among its contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueField {
    /// The number.
    Phone,
    /// The mail address.
    Email,
}

impl UniqueField {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Email => "email",
        }
    }
}

/// The devices of contacts, as far as delivery is concerned with them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeviceTokens: Send + Sync {
    /// Takes a push token that leads to no device any more from the contacts of an organization.
    async fn forget_device_token(
        &self,
        organization: Id<Organization>,
        token: &Address,
    ) -> Result<(), StoreError>;
}
