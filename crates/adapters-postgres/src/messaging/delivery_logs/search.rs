//! Search in the log by more than status and channel.

use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid};
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
use uuid::Uuid;

use crate::shared::{
    database::session::PgSession,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Maximum number of messages that a search looks at.
const LOOKED_AT: i64 = 10_000;
/// Number of messages that a search by metadata looks at before it asks the index on metadata.
const LOOKED_AT_FIRST: i64 = 1_000;
/// Maximum number of messages that a search takes from the index on metadata.
const CANDIDATES: usize = 2_000;
/// Number of candidates read at a time.
const READ_AT_ONCE: usize = 200;

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
        let walk = Statement::<(SqlUuid, Bool)>::returning(&[WALK])
            .bind::<SqlUuid, _>(self.organization.uuid())
            .bind::<SqlUuid, _>(self.filter.since().uuid())
            .bind::<SqlUuid, _>(self.below().uuid())
            .bind::<BigInt, _>(looked_at)
            .bind::<BigInt, _>(i64::try_from(self.wanted).unwrap_or(i64::MAX))
            .bind::<Nullable<Text>, _>(recipient)
            .bind::<Nullable<SqlUuid>, _>(filter.campaign.map(Id::uuid))
            .bind::<Nullable<Text>, _>(filter.status.map(Status::as_str))
            .bind::<Nullable<Text>, _>(filter.channel.map(Channel::as_str))
            .bind::<Nullable<Text>, _>(filter.event.as_deref())
            .bind::<Nullable<Text>, _>(filter.provider.as_deref())
            .bind::<Nullable<Text>, _>(filter.error_code.map(FailureCode::as_str))
            .bind::<Nullable<Bool>, _>(filter.is_sandbox)
            .bind::<Nullable<Jsonb>, _>(self.pairs());
        let rows: Vec<(Uuid, bool)> = walk.load(session.conn()).await.map_err(store_error)?;
        let mut found = Found::default();
        for (id, is_match) in rows {
            if is_match {
                found.ids.push(Id::of(id));
            } else {
                found.reached = Some(Id::of(id));
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
        let find = Statement::<SqlUuid>::returning(&[FIND_BY_METADATA])
            .bind::<SqlUuid, _>(self.organization.uuid())
            .bind::<SqlUuid, _>(self.filter.since().uuid())
            .bind::<SqlUuid, _>(self.below().uuid())
            .bind::<Nullable<Jsonb>, _>(self.pairs())
            .bind::<BigInt, _>(most);
        let ids: Vec<Uuid> = find.load(session.conn()).await.map_err(store_error)?;
        let mut ids: Vec<Id<Message>> = ids.into_iter().map(Id::of).collect();
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

const WALK: &str = "SELECT id, is_match FROM log_matches(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

const FIND_BY_METADATA: &str = "SELECT id FROM messages_with_metadata(?, ?, ?, ?, ?) AS found (id)";
