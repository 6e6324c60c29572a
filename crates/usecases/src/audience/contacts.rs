//! Contacts of organizations.

mod export;

use std::sync::Arc;

use domain::{
    audience::{
        contact::{
            Contact, ContactDetails, ContactFilter, ContactRequest, ContactUpdate,
            LAST_MESSAGE_WITHIN,
        },
        segment::Segment,
    },
    identity::{caller::Caller, organization::Holding, permission::Permission},
    shared::{
        change::Change,
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::contacts::{ContactPart, ContactRepository, Inserted, TakenAddress, Updated},
    shared::{clock::Clock, store::StoreError},
};

pub use self::export::{ContactExport, ExportedContact};
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

/// First page of the contacts, with the beginning of the next part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactsBeginning {
    /// The page.
    pub page: Paged<ContactDetails>,
    /// Contact after which the next part begins; `None` at the end.
    pub next: Option<Id<Contact>>,
}

/// Part of the contacts, newest first, as they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPart {
    /// Contacts of the part.
    pub contacts: Vec<ContactDetails>,
    /// Contact after which the next part begins; `None` at the end.
    pub next: Option<Id<Contact>>,
}

impl Contacts {
    /// Creates the operations over `repository`. `bounds` limits the number of contacts.
    pub fn new(
        repository: Arc<dyn ContactRepository>,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, bounds, clock }
    }

    /// Returns a page of the organization's contacts, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<Paged<ContactDetails>, Error> {
        let filter = self.checked(caller, filter).await?;
        let found = self.repository.page(caller.organization, &filter, page).await?;
        self.shown_page(caller, found).await
    }

    /// Returns the first page of the contacts, newest first, from which they can be read on in parts.
    pub async fn beginning(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
        page: Page,
    ) -> Result<ContactsBeginning, Error> {
        let filter = self.checked(caller, filter).await?;
        let found = self.repository.page(caller.organization, &filter, page).await?;
        let shown = u64::try_from(found.items.len()).unwrap_or(u64::MAX);
        let next = if found.total > shown {
            found.items.last().map(|contact| contact.id)
        } else if found.is_lower_bound {
            // Too many contacts that do not pass the filter come first.
            let limit = usize::try_from(page.limit()).unwrap_or(usize::MAX);
            self.repository.older(caller.organization, &filter, None, limit).await?.next
        } else {
            None
        };
        Ok(ContactsBeginning { page: self.shown_page(caller, found).await?, next })
    }

    /// Returns up to `limit` contacts, newest first, after the contact `after`.
    pub async fn part(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<ShownPart, Error> {
        let filter = self.checked(caller, filter).await?;
        self.shown_part(caller, &filter, after, limit).await
    }

    /// Returns up to `limit` contacts of a segment, newest first, after the contact `after`.
    pub async fn members(
        &self,
        caller: &Caller,
        segment: Id<Segment>,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<ShownPart, Error> {
        caller.authorize(Permission::Read)?;
        if !self.repository.has_segment(caller.organization, segment).await? {
            return Err(Error::NotFound("segment"));
        }
        let filter = ContactFilter { segment: Some(segment), ..ContactFilter::default() };
        self.shown_part(caller, &filter, after, limit).await
    }

    /// Begins an export of the contacts, newest first.
    pub async fn export(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
    ) -> Result<ContactExport, Error> {
        let filter = self.checked(caller, filter).await?;
        let repository = Arc::clone(&self.repository);
        Ok(ContactExport::new(repository, caller.organization, filter))
    }

    /// Returns a contact.
    pub async fn get(&self, caller: &Caller, id: Id<Contact>) -> Result<ContactDetails, Error> {
        caller.authorize(Permission::Read)?;
        let contact = self.repository.find(caller.organization, id).await?.ok_or(NOT_FOUND)?;
        self.shown_one(caller, contact).await
    }

    /// Returns contacts as they are shown, to a caller who was permitted to find them.
    pub async fn shown(
        &self,
        caller: &Caller,
        contacts: Vec<Contact>,
    ) -> Result<Vec<ContactDetails>, Error> {
        let since = self.clock.now() - LAST_MESSAGE_WITHIN;
        Ok(self.repository.details(caller.organization, contacts, since).await?)
    }

    /// Creates a contact. `faults` holds the faults found so far.
    pub async fn create(
        &self,
        caller: &Caller,
        request: ContactRequest,
        faults: Faults,
    ) -> Result<ContactDetails, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let mut contact = faults.check(request.contact(caller.organization, self.clock.now()))?;
        self.bounds.find_room(contact.organization, &OF_CONTACTS).await?;
        for _ in 0..IDENTIFIERS {
            match self.repository.insert(&contact).await? {
                Inserted::Done => return self.shown_one(caller, contact).await,
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
    ) -> Result<ContactDetails, Error> {
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
            Updated::Done(contact) => self.shown_one(caller, contact).await,
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

    /// Returns a filter with its texts in their stored form, if the caller may read and it has no
    /// faults.
    async fn checked(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
    ) -> Result<ContactFilter, Error> {
        caller.authorize(Permission::Read)?;
        let mut faults = filter.faults();
        if let Some(segment) = filter.segment
            && !self.repository.has_segment(caller.organization, segment).await?
        {
            faults.add("segmentId", "is not a segment of the organization");
        }
        faults.or(())?;
        Ok(filter.sought())
    }

    async fn shown_page(
        &self,
        caller: &Caller,
        found: Paged<Contact>,
    ) -> Result<Paged<ContactDetails>, Error> {
        let Paged { items, page, total, is_lower_bound } = found;
        let items = self.shown(caller, items).await?;
        Ok(Paged { items, page, total, is_lower_bound })
    }

    async fn shown_part(
        &self,
        caller: &Caller,
        filter: &ContactFilter,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<ShownPart, Error> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let ContactPart { contacts, next } =
            self.repository.older(caller.organization, filter, after, limit).await?;
        Ok(ShownPart { contacts: self.shown(caller, contacts).await?, next })
    }

    async fn shown_one(&self, caller: &Caller, contact: Contact) -> Result<ContactDetails, Error> {
        let shown = self.shown(caller, vec![contact]).await?;
        shown.into_iter().next().ok_or(NOT_FOUND)
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
