//! Suppression lists, as organizations see and change them.

use async_trait::async_trait;
use domain::{
    audience::{
        contact::Contact,
        suppression::{Suppression, SuppressionFilter},
    },
    identity::organization::Organization,
    shared::{
        address::Address,
        id::Id,
        page::{MOST_FOUND, Page, Paged},
    },
};
use ports::{audience::suppressions::SuppressionRepository, shared::store::StoreError};

use crate::shared::store::MemoryStore;

impl MemoryStore {
    /// Adds or replaces a contact, so that a suppression of one of its addresses can apply to another.
    /// Contacts have no other use here.
    pub fn put_contact(&self, contact: Contact) {
        self.state().contacts.put(contact);
    }
}

#[async_trait]
impl SuppressionRepository for MemoryStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &SuppressionFilter,
        page: Page,
    ) -> Result<Paged<Suppression>, StoreError> {
        let state = self.state();
        let search = filter.search.as_ref().map(|text| text.to_lowercase());
        let is_shown = |entry: &&Suppression| match &search {
            Some(text) => contains(entry, text),
            None => true,
        };
        let mut found: Vec<_> = state.suppressions.of(organization).filter(is_shown).collect();
        found.sort_by_key(|entry| std::cmp::Reverse(entry.id));
        let length = u64::try_from(found.len()).unwrap_or(u64::MAX);
        if search.is_some() {
            found.truncate(MOST_FOUND);
        }
        let items = page.cut(found).into_iter().cloned().collect();
        Ok(match search {
            Some(_) => Paged::counted_up_to(MOST_FOUND as u64, items, page, length),
            None => Paged::counted(items, page, length),
        })
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<Option<Suppression>, StoreError> {
        let state = self.state();
        let found = state.suppressions.of(organization).find(|entry| entry.id == id);
        Ok(found.cloned())
    }

    async fn count(&self, organization: Id<Organization>) -> Result<u64, StoreError> {
        let entries = self.state().suppressions.of(organization).count();
        Ok(u64::try_from(entries).unwrap_or(u64::MAX))
    }

    async fn insert(&self, entry: &Suppression) -> Result<Suppression, StoreError> {
        Ok(self.state().suppressions.insert(entry.clone()).0)
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<bool, StoreError> {
        Ok(self.state().suppressions.delete(organization, id))
    }
}

/// Returns true if the lower-case `text` occurs in an address or the reason.
fn contains(entry: &Suppression, text: &str) -> bool {
    let addresses = [&entry.phone, &entry.email].into_iter().flatten();
    let mut texts = addresses.map(Address::as_str).chain(entry.reason.as_deref());
    texts.any(|it| it.to_lowercase().contains(text))
}
