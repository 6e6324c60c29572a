//! Search for the contacts that pass a filter, newest first. The work is limited, whatever the
//! contacts are.
//!
//! Contacts that many pass are found among the newest. For others the indexes on tags, texts and
//! suppressed addresses name candidates. Without an index that names few, the newest 100,000
//! contacts before a place are looked at, and the next search goes on from there.

use diesel::{
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment},
    sql_types::{Array, BigInt, Uuid as SqlUuid},
};
use diesel_async::SimpleAsyncConnection;
use domain::{
    audience::{
        contact::{Contact, ContactFilter},
        segment::CountedSegment,
    },
    identity::organization::Organization,
    shared::{id::Id, text::fold},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use super::{
    filter::FilteredContacts,
    search::{FIRST_LOOK, LONG_LOOK},
};
use crate::{
    audience::segments::row::SegmentRow,
    shared::{
        database::session::{PgSession, PgStore},
        error::store_error,
        query::{
            run_query::RunQueryDsl,
            search::{self, MOST_INDEXED, one_more},
            sql::sql,
        },
        schema::segments,
    },
};

/// Number of candidates looked at together.
const AT_ONCE: usize = 1_000;

/// Search for the newest contacts that pass a filter.
pub(super) struct Search<'f> {
    /// Filter, with its texts in their stored form.
    pub(super) filter: &'f ContactFilter,
    /// The same filter as a condition.
    pub(super) filtered: &'f FilteredContacts,
    /// Contact before which it begins; `None` for the end.
    pub(super) before: Option<Id<Contact>>,
    /// Maximum number of contacts to find.
    pub(super) wanted: usize,
}

/// Result of a search.
#[derive(Debug, Default)]
pub(super) struct Passing {
    /// Contacts that pass, newest first.
    pub(super) ids: Vec<Uuid>,
    /// Last contact that was looked at, if fewer than wanted were found and more are left.
    pub(super) reached: Option<Uuid>,
}

/// Begins a transaction in which contacts are walked in the order of their identifiers, whatever
/// the statistics of the table.
pub(super) async fn begin(store: &PgStore) -> Result<PgSession, StoreError> {
    let opening = store.opening().await?;
    opening.conn().batch_execute(BEGIN).await.map_err(store_error)?;
    Ok(opening.opened())
}

impl PgSession {
    /// Returns a filter, with its texts in their stored form, as a condition; `None` if its segment
    /// does not exist.
    pub(super) async fn filtered(
        &mut self,
        organization: Id<Organization>,
        filter: &ContactFilter,
    ) -> Result<Option<FilteredContacts>, StoreError> {
        let Some(id) = filter.segment else {
            return Ok(Some(FilteredContacts::new(organization, filter, None)));
        };
        let query = SegmentRow::query()
            .filter(segments::organization_id.eq(organization.uuid()))
            .filter(segments::id.eq(id.uuid()));
        let row: Option<SegmentRow> =
            query.first(self.conn()).await.optional().map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let CountedSegment { segment, .. } = CountedSegment::try_from(row)?;
        Ok(Some(FilteredContacts::new(organization, filter, Some(&segment))))
    }
}

impl Search<'_> {
    /// Searches the contacts, in a transaction of [`begin`].
    pub(super) async fn run(&self, session: &mut PgSession) -> Result<Passing, StoreError> {
        if let Some(segment) = self.filtered.frozen() {
            return self.among_members(session, segment).await;
        }
        let newest = self.among_newest(session, FIRST_LOOK).await?;
        if newest.reached.is_none() {
            return Ok(newest);
        }
        match self.candidates(session).await? {
            Some(candidates) => {
                let ids = self.among(session, candidates).await?;
                Ok(Passing { ids, reached: None })
            }
            None => self.among_newest(session, LONG_LOOK).await,
        }
    }

    /// Looks at the newest contacts before the place.
    async fn among_newest(
        &self,
        session: &mut PgSession,
        looked_at: i64,
    ) -> Result<Passing, StoreError> {
        let walk = Walk {
            filtered: self.filtered,
            organization: self.filtered.organization(),
            below: self.below(),
            looked_at,
            wanted: i64::try_from(self.wanted).unwrap_or(i64::MAX),
        };
        let ids: Vec<Uuid> = walk.load(session.conn()).await.map_err(store_error)?;
        let mut reached = None;
        if ids.len() < self.wanted {
            let last = sql!(
                "SELECT id FROM contacts WHERE organization_id = {organization} AND id < {below} \
                 ORDER BY id DESC OFFSET {skipped} LIMIT 1",
                organization = self.filtered.organization(),
                below = self.below(),
                skipped = looked_at - 1,
            );
            reached = last.value(session.conn()).await?;
        }
        Ok(Passing { ids, reached })
    }

    /// Looks at the newest members of a segment before the place.
    async fn among_members(
        &self,
        session: &mut PgSession,
        segment: Uuid,
    ) -> Result<Passing, StoreError> {
        let members = sql!(
            "SELECT segment_members_before({organization}, {segment}, {below}, {most})",
            organization = self.filtered.organization(),
            segment,
            below = self.below(),
            most = one_more(MOST_INDEXED),
        );
        let mut members: Vec<Uuid> = members.values(session.conn()).await?;
        let has_more = members.len() > MOST_INDEXED;
        members.truncate(MOST_INDEXED);
        let last = members.last().copied().filter(|_| has_more);
        let ids = self.among(session, members).await?;
        let reached = last.filter(|_| ids.len() < self.wanted);
        Ok(Passing { ids, reached })
    }

    /// Returns the contacts that an index finds; `None` if no index finds few.
    async fn candidates(&self, session: &mut PgSession) -> Result<Option<Vec<Uuid>>, StoreError> {
        session.conn().batch_execute(BY_BITMAPS).await.map_err(store_error)?;
        let mut candidates = self.with_tags(session).await?;
        if candidates.is_none() {
            candidates = self.with_text(session).await?;
        }
        session.conn().batch_execute(IN_ORDER).await.map_err(store_error)?;
        if candidates.is_none() && self.filter.suppressed == Some(true) {
            candidates = self.suppressed(session).await?;
        }
        Ok(candidates)
    }

    async fn with_tags(&self, session: &mut PgSession) -> Result<Option<Vec<Uuid>>, StoreError> {
        let Some(keys) = self.filtered.tag_keys() else { return Ok(None) };
        let tagged =
            sql!("SELECT contacts_with_tags({keys}, {most})", keys, most = one_more(MOST_INDEXED));
        Ok(few(tagged.values(session.conn()).await?))
    }

    async fn with_text(&self, session: &mut PgSession) -> Result<Option<Vec<Uuid>>, StoreError> {
        let Some(text) = &self.filter.search else { return Ok(None) };
        let text = fold(text);
        if !session.is_indexed(&text).await? {
            return Ok(None);
        }
        let organization = Id::of(self.filtered.organization());
        Ok(few(session.contacts_like(organization, &search::pattern(&text)).await?))
    }

    async fn suppressed(&self, session: &mut PgSession) -> Result<Option<Vec<Uuid>>, StoreError> {
        let organization = self.filtered.organization();
        let entries = session.count_suppressions(Id::of(organization)).await?;
        if entries >= one_more(MOST_INDEXED) {
            return Ok(None);
        }
        let suppressed = sql!(
            "SELECT suppressed_contacts({organization}, {most})",
            organization,
            most = one_more(MOST_INDEXED),
        );
        Ok(few(suppressed.values(session.conn()).await?))
    }

    /// Returns the first of the candidates that pass, newest first.
    async fn among(
        &self,
        session: &mut PgSession,
        mut candidates: Vec<Uuid>,
    ) -> Result<Vec<Uuid>, StoreError> {
        let below = self.below();
        candidates.retain(|id| *id < below);
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        candidates.dedup();
        let mut passing = Vec::new();
        for candidates in candidates.chunks(AT_ONCE) {
            let test = Test {
                filtered: self.filtered,
                organization: self.filtered.organization(),
                candidates,
            };
            let mut ids: Vec<Uuid> = test.load(session.conn()).await.map_err(store_error)?;
            ids.sort_unstable_by(|a, b| b.cmp(a));
            passing.extend(ids);
            if passing.len() >= self.wanted {
                break;
            }
        }
        passing.truncate(self.wanted);
        Ok(passing)
    }

    /// Returns the smallest identifier above those to find.
    fn below(&self) -> Uuid {
        self.before.map_or(Uuid::max(), Id::uuid)
    }
}

/// Returns candidates, unless there are too many.
fn few(ids: Vec<Uuid>) -> Option<Vec<Uuid>> {
    (ids.len() <= MOST_INDEXED).then_some(ids)
}

/// Those of the newest contacts below a bound that pass.
struct Walk<'f> {
    filtered: &'f FilteredContacts,
    organization: Uuid,
    below: Uuid,
    looked_at: i64,
    wanted: i64,
}

/// Those of the candidates that pass. Each is looked up by itself.
struct Test<'f> {
    filtered: &'f FilteredContacts,
    organization: Uuid,
    candidates: &'f [Uuid],
}

/// The text depends on the filter, so it is prepared for one use, and planned for its values.
impl QueryFragment<Pg> for Walk<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("SELECT id FROM (SELECT * FROM contacts WHERE organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND id < ");
        out.push_bind_param::<SqlUuid, _>(&self.below)?;
        out.push_sql(" ORDER BY id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.looked_at)?;
        out.push_sql(") AS contacts WHERE ");
        self.filtered.push_limited(&mut out)?;
        out.push_sql(" ORDER BY id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.wanted)
    }
}

impl QueryFragment<Pg> for Test<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("SELECT id FROM (SELECT found.* FROM unnest(");
        out.push_bind_param::<Array<SqlUuid>, _>(self.candidates)?;
        out.push_sql(
            ") AS given (id) CROSS JOIN LATERAL (SELECT * FROM contacts WHERE organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND id = given.id LIMIT 1) AS found) AS contacts WHERE ");
        self.filtered.push_limited(&mut out)
    }
}

impl Query for Walk<'_> {
    type SqlType = SqlUuid;
}

impl Query for Test<'_> {
    type SqlType = SqlUuid;
}

const BEGIN: &str = "\
    BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off";
/// The indexes on tags and trigrams have no order.
const BY_BITMAPS: &str = "SET LOCAL enable_bitmapscan = on";
const IN_ORDER: &str = "SET LOCAL enable_bitmapscan = off";
