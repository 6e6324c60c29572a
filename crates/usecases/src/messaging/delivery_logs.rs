//! Reads of the delivery log: pages and exports.

use std::sync::Arc;

use domain::{
    identity::{caller::Caller, organization::Organization, permission::Permission},
    messaging::{
        delivery_log::{LogFilter, MAX_EXPORT},
        message::Message,
    },
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::messaging::delivery_logs::DeliveryLogRepository;

use crate::Error;

/// Number of lines of an export read at a time.
const EXPORT_STEP: usize = 500;

/// Operations on the delivery log.
#[derive(Clone)]
pub struct DeliveryLogs {
    repository: Arc<dyn DeliveryLogRepository>,
}

impl DeliveryLogs {
    /// Reads the delivery log from `repository`.
    pub fn new(repository: Arc<dyn DeliveryLogRepository>) -> Self {
        Self { repository }
    }

    /// Returns a page of the log, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        filter: LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, Error> {
        caller.authorize(Permission::Read)?;
        let mut found = self.repository.page(caller.organization, filter, page).await?;
        let sees_codes = caller.sees_codes();
        found.items = found.items.into_iter().map(|message| message.shown(sees_codes)).collect();
        Ok(found)
    }

    /// Begins an export of the log, newest first, of at most [`MAX_EXPORT`] lines.
    pub fn export(&self, caller: &Caller, filter: LogFilter) -> Result<Export, Error> {
        caller.authorize(Permission::Read)?;
        Ok(Export {
            repository: Arc::clone(&self.repository),
            organization: caller.organization,
            filter,
            before: None,
            left: MAX_EXPORT,
            sees_codes: caller.sees_codes(),
        })
    }
}

/// Export in progress. It holds one part of the log at a time, and no connection between parts.
pub struct Export {
    repository: Arc<dyn DeliveryLogRepository>,
    organization: Id<Organization>,
    filter: LogFilter,
    before: Option<Id<Message>>,
    left: usize,
    sees_codes: bool,
}

impl Export {
    /// Returns the next part; an empty one is the end.
    pub async fn next(&mut self) -> Result<Vec<Message>, Error> {
        let limit = self.left.min(EXPORT_STEP);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let part =
            self.repository.older(self.organization, self.filter, self.before, limit).await?;
        self.left = if part.len() < limit { 0 } else { self.left - part.len() };
        self.before = part.last().map(|message| message.id);
        Ok(part.into_iter().map(|message| message.shown(self.sees_codes)).collect())
    }
}

#[cfg(test)]
mod tests;
