//! Search in the log by more than status and channel.

use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{FailureCode, Status},
        delivery_log::LogFilter,
        message::Message,
    },
    shared::{channel::Channel, id::Id},
};
use ports::shared::store::StoreError;
use serde_json::{Value, json};

use crate::shared::{
    database::session::PgSession,
    query::{row::row, sql::sql},
};

/// Maximum number of messages that a search looks at.
const LOOKED_AT: i64 = 10_000;
/// Number of messages that a search by metadata looks at before it asks the index on metadata.
const LOOKED_AT_FIRST: i64 = 1_000;
/// Maximum number of messages that a search takes from the index on metadata.
const CANDIDATES: usize = 2_000;
/// Number of candidates read at a time.
const READ_AT_ONCE: usize = 200;

row! {
    struct ReadRow {
        id: Id<Message>,
        /// False for the last message that was looked at.
        is_match: bool,
    }
}

/// Search for the newest messages that fit a filter.
pub(super) struct Search<'f> {
    /// Organization whose log is searched.
    pub(super) organization: Id<Organization>,
    /// Filter.
    pub(super) filter: &'f LogFilter,
    /// Message before which it begins; `None` for the end of the log.
    pub(super) before: Option<Id<Message>>,
    /// Maximum number of messages to find.
    pub(super) wanted: usize,
}

/// Result of a search.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Messages that fit, newest first.
    pub(super) ids: Vec<Id<Message>>,
    /// Last message that was looked at, if fewer messages than wanted were found and more are left.
    pub(super) reached: Option<Id<Message>>,
}

impl Search<'_> {
    /// Searches the log. The work is limited, whatever the log contains.
    pub(super) async fn run(&self, session: &mut PgSession) -> Result<Found, StoreError> {
        let filter = self.filter;
        if let Some(recipients) = &filter.recipients {
            let mut parts = Vec::with_capacity(recipients.len());
            for recipient in recipients {
                parts.push(self.walk(session, Some(recipient), LOOKED_AT).await?);
            }
            return Ok(self.merged(parts));
        }
        if filter.metadata.is_empty() || filter.campaign.is_some() {
            return self.walk(session, None, LOOKED_AT).await;
        }
        // A common pair fills a page with messages of the last hours.
        let first = self.walk(session, None, LOOKED_AT_FIRST).await?;
        if first.reached.is_none() {
            return Ok(first);
        }
        match self.candidates(session).await? {
            Some(candidates) => self.fitting(session, candidates).await,
            None => self.walk(session, None, LOOKED_AT).await,
        }
    }

    /// Walks back along the index that suits the filter best.
    async fn walk(
        &self,
        session: &mut PgSession,
        recipient: Option<&str>,
        looked_at: i64,
    ) -> Result<Found, StoreError> {
        let filter = self.filter;
        let walk = sql!(
            "SELECT id, is_match FROM log_matches({organization}, {since}, {below}, {looked_at}, \
                {wanted}, {recipient}, {campaign}, {status}, {channel}, {event}, {provider}, \
                {error_code}, {is_sandbox}, {pairs})",
            organization = self.organization,
            since = filter.since(),
            below = self.below(),
            looked_at,
            wanted = i64::try_from(self.wanted).unwrap_or(i64::MAX),
            recipient,
            campaign = filter.campaign,
            status = filter.status.map(Status::as_str),
            channel = filter.channel.map(Channel::as_str),
            event = filter.event.as_deref(),
            provider = filter.provider.as_deref(),
            error_code = filter.error_code.map(FailureCode::as_str),
            is_sandbox = filter.is_sandbox,
            pairs = self.pairs(),
        );
        let rows: Vec<ReadRow> = walk.rows(session.conn()).await?;
        let mut found = Found::default();
        for ReadRow { id, is_match } in rows {
            if is_match {
                found.ids.push(id);
            } else {
                found.reached = Some(id);
            }
        }
        Ok(found)
    }

    /// Returns the messages that have the pairs of the filter, newest first; `None` if there are
    /// too many.
    async fn candidates(
        &self,
        session: &mut PgSession,
    ) -> Result<Option<Vec<Id<Message>>>, StoreError> {
        let most = i64::try_from(CANDIDATES + 1).unwrap_or(i64::MAX);
        let find = sql!(
            "SELECT id FROM messages_with_metadata({organization}, {since}, {below}, {pairs}, \
                {most}) AS found (id)",
            organization = self.organization,
            since = self.filter.since(),
            below = self.below(),
            pairs = self.pairs(),
            most,
        );
        let mut ids: Vec<Id<Message>> = find.values(session.conn()).await?;
        ids.sort_unstable();
        ids.reverse();
        Ok((ids.len() <= CANDIDATES).then_some(ids))
    }

    /// Returns the first of `candidates` that fit the whole filter.
    async fn fitting(
        &self,
        session: &mut PgSession,
        candidates: Vec<Id<Message>>,
    ) -> Result<Found, StoreError> {
        let mut found = Found::default();
        for candidates in candidates.chunks(READ_AT_ONCE) {
            let messages = session.read_all(self.organization, candidates).await?;
            let fitting = messages.iter().filter(|message| self.filter.fits(message));
            found.ids.extend(fitting.map(|message| message.id));
            if found.ids.len() >= self.wanted {
                break;
            }
        }
        found.ids.truncate(self.wanted);
        Ok(found)
    }

    /// Returns the messages found for several forms of a recipient as one result. Those beyond the
    /// point that one of the walks reached are left for the next search.
    fn merged(&self, parts: Vec<Found>) -> Found {
        let reached = parts.iter().filter_map(|part| part.reached).max();
        let mut ids: Vec<_> = parts.into_iter().flat_map(|part| part.ids).collect();
        ids.retain(|id| reached.is_none_or(|reached| *id >= reached));
        ids.sort_unstable();
        ids.reverse();
        let is_full = ids.len() >= self.wanted;
        ids.truncate(self.wanted);
        Found { ids, reached: reached.filter(|_| !is_full) }
    }

    /// Returns the smallest identifier above those to find.
    fn below(&self) -> Id<Message> {
        let below = self.filter.below();
        self.before.map_or(below, |before| before.min(below))
    }

    fn pairs(&self) -> Option<Value> {
        let metadata = &self.filter.metadata;
        (!metadata.is_empty()).then(|| json!(metadata))
    }
}
