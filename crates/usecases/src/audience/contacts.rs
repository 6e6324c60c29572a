//! Contacts of organizations.

use std::sync::Arc;

use domain::{
    audience::contact::{Contact, ContactFilter, ContactRequest, ContactUpdate},
    identity::{caller::Caller, organization::Holding, permission::Permission},
    shared::{
        change::Change,
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::contacts::{ContactRepository, Inserted, TakenAddress, Updated},
    shared::{clock::Clock, store::StoreError},
};

use crate::{Error, Reason, shared::bounds::Bounds};

/// Holdings that a new contact adds to.
pub(crate) const OF_CONTACTS: [Holding; 2] = [Holding::Contacts, Holding::ContactBytes];

/// Maximum number of identifiers tried for a contact while starting campaigns overtake it.
const IDENTIFIERS: u32 = 5;

/// Operations on contacts.
#[derive(Clone)]
pub struct Contacts {
    repository: Arc<dyn ContactRepository>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

impl Contacts {
    /// Creates the operations over `repository`.
    pub fn new(repository: Arc<dyn ContactRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, bounds: Bounds::default(), clock }
    }

    /// Limits the number of contacts by `bounds`.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Returns a page of the organization's contacts, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<Contact>, Error> {
        caller.authorize(Permission::Read)?;
        filter.faults().or(())?;
        Ok(self.repository.page(caller.organization, &filter.sought(), page).await?)
    }

    /// Returns a contact.
    pub async fn get(&self, caller: &Caller, id: Id<Contact>) -> Result<Contact, Error> {
        caller.authorize(Permission::Read)?;
        self.repository.find(caller.organization, id).await?.ok_or(NOT_FOUND)
    }

    /// Creates a contact. `faults` holds the faults found so far.
    pub async fn create(
        &self,
        caller: &Caller,
        request: ContactRequest,
        faults: Faults,
    ) -> Result<Contact, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let mut contact = faults.check(request.contact(caller.organization, self.clock.now()))?;
        self.bounds.find_room(contact.organization, &OF_CONTACTS).await?;
        for _ in 0..IDENTIFIERS {
            match self.repository.insert(&contact).await? {
                Inserted::Done => return Ok(contact),
                Inserted::Taken(taken) => return Err(contact_exists(taken)),
                Inserted::Overtaken => {
                    contact.id = Id::new_in(self.clock.now(), caller.organization);
                }
            }
        }
        // The clock of this instance is behind that of an instance that sends campaigns.
        Err(StoreError::Unavailable("campaigns began behind each new contact".into()).into())
    }

    /// Changes a contact. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        caller: &Caller,
        id: Id<Contact>,
        update: ContactUpdate,
        mut faults: Faults,
    ) -> Result<Contact, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let organization = caller.organization;
        let contact = self.repository.find(organization, id).await?;
        faults.merge_new("", update.untimely(self.clock.now()));
        let found = match contact.clone() {
            Some(contact) => update.apply(contact).err().unwrap_or_default(),
            None => update.faults(),
        };
        faults.merge_new("", found);
        faults.or(contact)?.ok_or(NOT_FOUND)?;
        if update.attributes != Change::Keep {
            self.bounds.find_room(organization, &[Holding::ContactBytes]).await?;
        }
        match self.repository.update(organization, id, &update).await? {
            Updated::Done(contact) => Ok(contact),
            Updated::Missing => Err(NOT_FOUND),
            Updated::Invalid(faults) => Err(faults.into()),
            Updated::Taken(taken) => Err(contact_exists(taken)),
        }
    }

    /// Deletes a contact and schedules the erasure of the person's messages.
    pub async fn delete(&self, caller: &Caller, id: Id<Contact>) -> Result<(), Error> {
        caller.authorize(Permission::WriteAudience)?;
        if self.repository.delete(caller.organization, id).await? { Ok(()) } else { Err(NOT_FOUND) }
    }
}

const NOT_FOUND: Error = Error::NotFound("contact");

/// Another contact of the organization has the address.
pub fn contact_exists(taken: TakenAddress) -> Error {
    let field = taken.field.as_str();
    let message = format!("another contact has this {field}");
    let reason = Reason::with_message("CONTACT_EXISTS", message)
        .about("field", field)
        .about("contactId", taken.contact.to_string());
    Error::Conflict(reason)
}

#[cfg(test)]
mod tests;
