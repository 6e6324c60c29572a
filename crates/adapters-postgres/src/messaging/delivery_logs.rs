//! Queries on the delivery log.

mod page_seek;
mod row;
mod search;
mod text_notes;

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    messaging::{delivery::Status, delivery_log::LogFilter, message::Message},
    shared::{
        id::Id,
        page::{MOST_FOUND, Page, Paged},
    },
};
use ports::{
    messaging::delivery_logs::{Accepted, DeliveryLogRepository, LogPart},
    shared::store::StoreError,
};
use uuid::Uuid;

use self::{
    page_seek::Start,
    search::{Found, Search},
};
pub(crate) use self::{row::MessageRow, text_notes::TextNotes};
use crate::shared::{
    database::session::{PgSession, PgStore},
    error::{corrupt, store_error},
    query::{listed::Listed, run_query::RunQueryDsl},
    schema::{delivery_logs, idempotency_keys},
};

/// Returns messages of any organization by their identifiers: providers report on them and name no
/// organization.
pub(crate) async fn find_all(
    store: &PgStore,
    ids: &[Id<Message>],
) -> Result<HashMap<Id<Message>, Message>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let query = MessageRow::query().filter(delivery_logs::id.eq_any(ids));
    let rows = query.load(store.session().await?.conn()).await.map_err(store_error)?;
    by_id(rows)
}

/// Returns the places of the nil identifiers, which stand for items that got no message.
fn gaps(ids: &[Uuid]) -> Vec<u16> {
    let places = (0..).zip(ids);
    places.filter(|(_, id)| id.is_nil()).map(|(place, _)| place).collect()
}

fn by_id(rows: Vec<MessageRow>) -> Result<HashMap<Id<Message>, Message>, StoreError> {
    rows.into_iter().map(|row| Message::try_from(row).map(|it| (it.id, it))).collect()
}

#[async_trait]
impl DeliveryLogRepository for PgStore {
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Message>, StoreError> {
        let query = MessageRow::query()
            .filter(delivery_logs::organization_id.eq(organization.uuid()))
            .filter(delivery_logs::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(Message::try_from).transpose()
    }

    async fn find_accepted(
        &self,
        organization: Id<Organization>,
        is_sandbox: bool,
        key: &str,
    ) -> Result<Option<Accepted>, StoreError> {
        let query = idempotency_keys::table
            .find((organization.uuid(), is_sandbox, key))
            .filter(idempotency_keys::expires_at.gt(diesel::dsl::now))
            .select((idempotency_keys::fingerprint, idempotency_keys::message_ids));
        let mut session = self.session().await?;
        let row = query.first(session.conn()).await.optional().map_err(store_error)?;
        let Some((fingerprint, ids)): Option<(Vec<u8>, Vec<Uuid>)> = row else { return Ok(None) };
        let fingerprint =
            fingerprint.try_into().map_err(|_| corrupt("idempotency_keys", organization))?;
        let query = MessageRow::query()
            .filter(delivery_logs::organization_id.eq(organization.uuid()))
            .filter(delivery_logs::id.eq_any(&ids));
        let mut found = by_id(query.load(session.conn()).await.map_err(store_error)?)?;
        let gaps = gaps(&ids);
        let messages = ids.into_iter().filter_map(|id| found.remove(&Id::of(id))).collect();
        Ok(Some(Accepted { fingerprint, messages, gaps }))
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, StoreError> {
        let mut session = self.session().await?;
        if !filter.is_counted() {
            let search = Search { organization, filter, before: None, wanted: MOST_FOUND + 1 };
            let Found { ids, reached } = search.run(&mut session).await?;
            let found = u64::try_from(ids.len()).unwrap_or(u64::MAX);
            let most = u64::try_from(MOST_FOUND).unwrap_or(u64::MAX);
            let shown = page.cut(ids.into_iter().take(MOST_FOUND).collect());
            let items = session.read_all(organization, &shown).await?;
            let paged = Paged::counted_up_to(most, items, page, found);
            let is_lower_bound = paged.is_lower_bound || reached.is_some();
            return Ok(Paged { is_lower_bound, ..paged });
        }
        let place = page_seek::find(session.conn(), organization, filter, page).await?;
        let left = place.total.saturating_sub(page.offset());
        let mut items = match place.start {
            Some(start) => {
                // Messages that were accepted since the others were counted push the oldest ones
                // off the last page: one more shows that there are some.
                let is_last = left <= u64::from(page.limit());
                let limit = i64::from(page.limit()) + i64::from(is_last);
                session.read_at(organization, filter, start, limit).await?
            }
            None => Vec::new(),
        };
        let read = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let total = if read > left { page.offset().saturating_add(read) } else { place.total };
        items.truncate(usize::try_from(page.limit()).unwrap_or(usize::MAX));
        Ok(Paged::counted(items, page, total))
    }

    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        before: Option<Id<Message>>,
        limit: usize,
    ) -> Result<LogPart, StoreError> {
        let wanted = limit.saturating_add(1);
        let mut session = self.session().await?;
        if filter.is_counted() {
            let limit_read = i64::try_from(wanted).unwrap_or(i64::MAX);
            let slice = Slice { from: None, below: before, skip: 0, limit: limit_read };
            let mut messages = session.read(organization, filter, slice).await?;
            let has_more = messages.len() > limit;
            messages.truncate(limit);
            let next = messages.last().filter(|_| has_more).map(|message| message.id);
            return Ok(LogPart { messages, next });
        }
        let search = Search { organization, filter, before, wanted };
        let Found { mut ids, reached } = search.run(&mut session).await?;
        let has_more = ids.len() > limit;
        ids.truncate(limit);
        let next = if has_more { ids.last().copied() } else { reached };
        let messages = session.read_all(organization, &ids).await?;
        Ok(LogPart { messages, next })
    }
}

/// Part of the log, counted from the newest message below an identifier.
struct Slice {
    /// Smallest identifier to read.
    from: Option<Id<Message>>,
    below: Option<Id<Message>>,
    skip: i64,
    limit: i64,
}

impl PgSession {
    /// Reads a page from its start. Only the months that it is in are read.
    async fn read_at(
        &mut self,
        organization: Id<Organization>,
        filter: &LogFilter,
        start: Start,
        limit: i64,
    ) -> Result<Vec<Message>, StoreError> {
        let Start { below, skip, from, since } = start;
        let slice = Slice { from: Some(from), below: Some(below), skip, limit };
        let messages = self.read(organization, filter, slice).await?;
        let is_full = i64::try_from(messages.len()).is_ok_and(|read| read >= limit);
        if is_full || from == since {
            return Ok(messages);
        }
        // Messages that were counted have left the state, or were deleted: older ones follow.
        let slice = Slice { from: Some(since), below: Some(below), skip, limit };
        self.read(organization, filter, slice).await
    }

    /// Reads messages by status and channel.
    async fn read(
        &mut self,
        organization: Id<Organization>,
        filter: &LogFilter,
        slice: Slice,
    ) -> Result<Vec<Message>, StoreError> {
        use delivery_logs::{channel, failed_at, id, organization_id, status};

        let mut query = MessageRow::query()
            .filter(organization_id.eq(organization.uuid()))
            .order(id.desc())
            .limit(slice.limit)
            .offset(slice.skip)
            .into_boxed();
        if let Some(from) = slice.from {
            query = query.filter(id.ge(from.uuid()));
        }
        if let Some(below) = slice.below {
            query = query.filter(id.lt(below.uuid()));
        }
        if let Some(wanted) = filter.channel {
            query = query.filter(channel.eq(wanted.as_str()));
        }
        if let Some(wanted) = filter.status {
            query = query.filter(status.eq(wanted.as_str()));
        }
        // This condition is redundant, but the index on failures is used only by queries that state
        // it.
        if filter.status == Some(Status::Failed) {
            query = query.filter(failed_at.is_not_null());
        }
        let listed = Listed::new(MessageRow::LISTED, query);
        let rows: Vec<MessageRow> = listed.load(self.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Message::try_from).collect()
    }

    /// Reads messages by their identifiers, newest first.
    async fn read_all(
        &mut self,
        organization: Id<Organization>,
        ids: &[Id<Message>],
    ) -> Result<Vec<Message>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
        let query = MessageRow::query()
            .filter(delivery_logs::organization_id.eq(organization.uuid()))
            .filter(delivery_logs::id.eq_any(ids))
            .into_boxed();
        let listed = Listed::new(MessageRow::LISTED, query);
        let rows: Vec<MessageRow> = listed.load(self.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Message::try_from).collect()
    }
}
