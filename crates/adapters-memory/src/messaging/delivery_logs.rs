//! The delivery log, for reading.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::{delivery_log::LogFilter, message::Message},
    shared::{
        id::Id,
        listed_text,
        page::{MOST_FOUND, Page, Paged},
    },
};
use ports::{
    messaging::delivery_logs::{Accepted, DeliveryLogRepository, LogPart},
    shared::store::StoreError,
};

use crate::shared::store::MemoryStore;

#[async_trait]
impl DeliveryLogRepository for MemoryStore {
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Message>, StoreError> {
        let state = self.state();
        let found = state.messages.find(id).filter(|it| it.organization == organization);
        Ok(found.cloned())
    }

    async fn find_accepted(
        &self,
        organization: Id<Organization>,
        is_sandbox: bool,
        key: &str,
    ) -> Result<Option<Accepted>, StoreError> {
        let now = self.now();
        let state = self.state();
        Ok(state.keys.find(organization, (is_sandbox, key), now).map(|used| Accepted {
            fingerprint: used.fingerprint,
            messages: used
                .messages
                .iter()
                .filter_map(|id| state.messages.find(*id).cloned())
                .collect(),
            gaps: used.gaps.clone(),
        }))
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, StoreError> {
        let state = self.state();
        let mut all: Vec<_> = state.messages.newest_first(organization, filter, None).collect();
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        if filter.is_counted() {
            let items = page.cut(all).into_iter().map(listed).collect();
            return Ok(Paged::counted(items, page, total));
        }
        all.truncate(MOST_FOUND);
        let most = u64::try_from(MOST_FOUND).unwrap_or(u64::MAX);
        let items = page.cut(all).into_iter().map(listed).collect();
        Ok(Paged::counted_up_to(most, items, page, total))
    }

    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        before: Option<Id<Message>>,
        limit: usize,
    ) -> Result<LogPart, StoreError> {
        let state = self.state();
        let mut found = state.messages.newest_first(organization, filter, before);
        let messages: Vec<_> = found.by_ref().take(limit).map(listed).collect();
        let next = found.next().and(messages.last()).map(|message| message.id);
        Ok(LogPart { messages, next })
    }
}

/// Returns a message in the form that lists show.
fn listed(message: &Message) -> Message {
    let mut message = message.clone();
    let draft = Arc::make_mut(&mut message.draft);
    listed_text::cut_as_read(&mut draft.body);
    if let Some(masked) = &mut draft.masked {
        listed_text::cut_as_read(&mut masked.body);
    }
    draft.vendor_template = None;
    message
}
