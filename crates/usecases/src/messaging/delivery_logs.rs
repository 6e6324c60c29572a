//! Reads of the delivery log: pages, parts and exports.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::{
        caller::{Caller, Identity},
        organization::Organization,
        permission::Permission,
    },
    messaging::{
        delivery_log::{LogFilter, LogRequest, MAX_EXPORT},
        message::Message,
    },
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    messaging::delivery_logs::{DeliveryLogRepository, LogPart},
    shared::{clock::Clock, store::StoreError},
};

use crate::Error;

/// Number of lines of an export read at a time.
const EXPORT_STEP: usize = 500;

/// Operations on the delivery log.
#[derive(Clone, Constructor)]
pub struct DeliveryLogs {
    repository: Arc<dyn DeliveryLogRepository>,
    clock: Arc<dyn Clock>,
}

/// First page of the log, with the beginning of the next part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogBeginning {
    /// The page.
    pub page: Paged<Message>,
    /// Message after which the next part begins; `None` at the end.
    pub next: Option<Id<Message>>,
}

impl DeliveryLogs {
    /// Returns a page of the log, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        request: &LogRequest,
        page: Page,
    ) -> Result<Paged<Message>, Error> {
        let filter = self.filter(caller, request)?;
        self.page_of(caller, &filter, page).await
    }

    /// Returns the first page of the log, newest first, from which the log can be read on in parts.
    pub async fn beginning(
        &self,
        caller: &Caller,
        request: &LogRequest,
        page: Page,
    ) -> Result<LogBeginning, Error> {
        let filter = self.filter(caller, request)?;
        let page = self.page_of(caller, &filter, page).await?;
        let shown = u64::try_from(page.items.len()).unwrap_or(u64::MAX);
        let next = if page.total > shown {
            page.items.last().map(|message| message.id)
        } else if page.is_lower_bound {
            // Too many messages that do not fit come first.
            let limit = usize::try_from(page.page.limit()).unwrap_or(usize::MAX);
            self.repository.older(caller.organization, &filter, None, limit).await?.next
        } else {
            None
        };
        Ok(LogBeginning { page, next })
    }

    /// Returns up to `limit` messages of the log, newest first, after the message `after`.
    pub async fn part(
        &self,
        caller: &Caller,
        request: &LogRequest,
        after: Option<Id<Message>>,
        limit: u32,
    ) -> Result<LogPart, Error> {
        let filter = self.filter(caller, request)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let LogPart { messages, next } =
            self.repository.older(caller.organization, &filter, after, limit).await?;
        Ok(LogPart { messages: shown(messages, caller.sees_codes()), next })
    }

    /// Returns up to `limit` messages to any of these addresses, as the log names them, newest first,
    /// after the message `after`.
    pub async fn part_to(
        &self,
        caller: &Caller,
        addresses: Vec<String>,
        after: Option<Id<Message>>,
        limit: u32,
    ) -> Result<LogPart, Error> {
        let filter = self.filter(caller, &LogRequest::default())?;
        if addresses.is_empty() {
            return Ok(LogPart { messages: Vec::new(), next: None });
        }
        let filter = LogFilter { recipients: Some(addresses), ..filter };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let LogPart { messages, next } =
            self.repository.older(caller.organization, &filter, after, limit).await?;
        Ok(LogPart { messages: shown(messages, caller.sees_codes()), next })
    }

    /// Begins an export of the log, newest first, of at most [`MAX_EXPORT`] lines.
    pub fn export(&self, caller: &Caller, request: &LogRequest) -> Result<Export, Error> {
        Ok(Export {
            repository: Arc::clone(&self.repository),
            organization: caller.organization,
            filter: self.filter(caller, request)?,
            before: None,
            left: MAX_EXPORT,
            sees_codes: caller.sees_codes(),
        })
    }

    async fn page_of(
        &self,
        caller: &Caller,
        filter: &LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, Error> {
        let mut found = self.repository.page(caller.organization, filter, page).await?;
        found.items = shown(found.items, caller.sees_codes());
        Ok(found)
    }

    /// Returns the filter of a request, if the caller may read the log. API keys see their own mode
    /// only.
    pub(crate) fn filter(&self, caller: &Caller, request: &LogRequest) -> Result<LogFilter, Error> {
        caller.authorize(Permission::Read)?;
        let mut filter = request.filter(self.clock.now())?;
        if matches!(caller.identity, Identity::ApiKey { .. }) {
            let mode = caller.rehearses(filter.is_sandbox);
            let mode = mode.map_err(|fault| Faults::field("isSandbox", fault))?;
            filter.is_sandbox = Some(mode);
        }
        Ok(filter)
    }
}

/// Returns a message of the caller's organization, unless it is live and the caller is not.
pub(crate) async fn find_visible(
    repository: &dyn DeliveryLogRepository,
    caller: &Caller,
    id: Id<Message>,
) -> Result<Message, Error> {
    let message = repository.find(caller.organization, id).await?;
    let message = message.filter(|message| message.is_sandbox || !caller.is_sandbox());
    message.ok_or(Error::NotFound("message"))
}

fn shown(messages: Vec<Message>, sees_codes: bool) -> Vec<Message> {
    messages.into_iter().map(|message| message.shown(sees_codes)).collect()
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
    /// Goes on after the message `position` with an export of any length. Its codes are masked: what is
    /// stored may outlast them.
    pub(crate) fn resumed(
        repository: Arc<dyn DeliveryLogRepository>,
        organization: Id<Organization>,
        filter: LogFilter,
        position: Option<Id<Message>>,
    ) -> Self {
        let (left, sees_codes) = (usize::MAX, false);
        Self { repository, organization, filter, before: position, left, sees_codes }
    }

    /// Returns the next part; an empty one is the end.
    pub async fn next(&mut self) -> Result<Vec<Message>, Error> {
        while self.left > 0 {
            let messages = self.look().await?;
            if !messages.is_empty() {
                return Ok(messages);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the messages that one more look at the log finds; there may be none.
    pub(crate) async fn look(&mut self) -> Result<Vec<Message>, StoreError> {
        let limit = self.left.min(EXPORT_STEP);
        let LogPart { messages, next } =
            self.repository.older(self.organization, &self.filter, self.before, limit).await?;
        self.left = if next.is_some() { self.left.saturating_sub(messages.len()) } else { 0 };
        self.before = next;
        Ok(shown(messages, self.sees_codes))
    }

    /// Returns the message after which the next look begins; `None` at the end of the log.
    pub(crate) fn position(&self) -> Option<Id<Message>> {
        self.before
    }
}

#[cfg(test)]
mod tests;
