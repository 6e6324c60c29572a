//! Exports of contacts.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    audience::contact::{Contact, ContactFilter},
    identity::organization::Organization,
    shared::id::Id,
};
use ports::audience::contacts::{ContactPart, ContactRepository};

use crate::Error;

/// Number of contacts of an export read at a time. The largest take 30 MB together.
const STEP: usize = 250;

/// Contact of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedContact {
    /// The contact.
    pub contact: Contact,
    /// Time at which a request or a file last wrote it.
    pub updated_at: DateTime<Utc>,
}

/// Export in progress. It holds one part of the contacts at a time, and no connection between parts.
pub struct ContactExport {
    repository: Arc<dyn ContactRepository>,
    organization: Id<Organization>,
    filter: ContactFilter,
    before: Option<Id<Contact>>,
    is_over: bool,
}

impl ContactExport {
    pub(super) fn new(
        repository: Arc<dyn ContactRepository>,
        organization: Id<Organization>,
        filter: ContactFilter,
    ) -> Self {
        Self { repository, organization, filter, before: None, is_over: false }
    }

    /// Returns the next part; an empty one is the end.
    pub async fn next(&mut self) -> Result<Vec<ExportedContact>, Error> {
        while !self.is_over {
            let ContactPart { contacts, next } =
                self.repository.older(self.organization, &self.filter, self.before, STEP).await?;
            self.is_over = next.is_none();
            self.before = next;
            if !contacts.is_empty() {
                return self.dated(contacts).await;
            }
        }
        Ok(Vec::new())
    }

    async fn dated(&self, contacts: Vec<Contact>) -> Result<Vec<ExportedContact>, Error> {
        let ids: Vec<_> = contacts.iter().map(|contact| contact.id).collect();
        let written_at = self.repository.written_at(self.organization, &ids).await?;
        let mut exported = Vec::with_capacity(contacts.len());
        for contact in contacts {
            // A contact that was deleted meanwhile has no other time.
            let updated_at = written_at.get(&contact.id).copied().unwrap_or(contact.created_at);
            exported.push(ExportedContact { contact, updated_at });
        }
        Ok(exported)
    }
}
