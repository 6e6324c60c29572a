//! Segments: subsets of an organization's contacts, described by rules.

mod audience;
pub(crate) mod condition;
mod counts;
mod evaluated;
mod insert;
mod queries;
pub(crate) mod row;
mod turns;

use async_trait::async_trait;
use diesel::{dsl::count_star, prelude::*};
use domain::{
    audience::{
        contact::Contact,
        segment::{CountedSegment, Preview, Rules, Segment, SegmentName},
    },
    identity::organization::Organization,
    messaging::message::CampaignId,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::segments::{Deleted, EvaluationError, SegmentRepository},
    shared::store::StoreError,
};
use uuid::Uuid;

use self::{
    condition::Fitting,
    queries::{Count, Sample},
    row::{NewSegmentRow, SegmentRow},
    turns::{Turn, Turns},
};
use crate::{
    audience::contacts::row::ContactRow,
    shared::{
        database::{
            connection::Connection,
            session::{PgSession, PgStore},
        },
        error::{is_statement_timeout, store_error},
        query::{run_query::RunQueryDsl, sql::sql},
        schema::segments,
    },
};

/// Segments of all organizations. Rules are evaluated on separate connections, one evaluation per
/// organization at a time: no organization blocks the rest of the service, and these connections
/// are exhausted only if many organizations evaluate at once.
#[derive(Clone)]
pub struct PgSegments {
    store: PgStore,
    evaluation: PgStore,
    turns: Turns,
}

impl PgSegments {
    /// Creates the repository of the segments in `store`, whose rules are evaluated on the
    /// connections of `evaluation` ([`PgStore::connect_evaluation`]).
    pub fn new(store: PgStore, evaluation: PgStore) -> Self {
        Self { store, evaluation, turns: Turns::default() }
    }

    /// Returns the store of the segments.
    pub(crate) fn store(&self) -> &PgStore {
        &self.store
    }

    /// Waits for the organization's turn, and returns it with a connection for an evaluation.
    pub(crate) async fn begin_evaluation(
        &self,
        organization: Id<Organization>,
    ) -> Result<(Turn, PgSession), StoreError> {
        let turn = self.turns.take(organization).await?;
        Ok((turn, self.evaluation.session().await?))
    }

    /// Waits for the organization's turn, and returns it with a transaction for an evaluation.
    pub(crate) async fn begin_transaction(
        &self,
        organization: Id<Organization>,
    ) -> Result<(Turn, PgSession), StoreError> {
        let turn = self.turns.take(organization).await?;
        Ok((turn, self.evaluation.transaction().await?))
    }

    async fn rows(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<(Vec<SegmentRow>, u64), StoreError> {
        use segments::{id, organization_id, table};

        let own = organization_id.eq(organization.uuid());
        let mut session = self.store.session().await?;
        // At most `MAX_SEGMENTS`.
        let total: i64 = table
            .filter(own)
            .select(count_star())
            .first(session.conn())
            .await
            .map_err(store_error)?;
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let query = SegmentRow::query().filter(own).order(id.desc());
        let query = query.offset(offset).limit(page.limit().into());
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        Ok((rows, total.unsigned_abs()))
    }

    /// Counts the contacts that match.
    async fn count(
        &self,
        organization: Id<Organization>,
        rules: &Rules,
    ) -> Result<i64, EvaluationError> {
        let _turn = self.turns.take(organization).await?;
        let mut session = self.evaluation.session().await?;
        let count = Count(Fitting::new(organization, rules.rule()));
        count.get_result(session.conn()).await.map_err(evaluation_error)
    }
}

#[async_trait]
impl SegmentRepository for PgSegments {
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<CountedSegment>, StoreError> {
        let (rows, total) = self.rows(organization, page).await?;
        let items = self.counted(organization, rows).await?;
        Ok(Paged::counted(items, page, total))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Option<CountedSegment>, StoreError> {
        let row = {
            let mut session = self.store.session().await?;
            let own = SegmentRow::query().filter(segments::organization_id.eq(organization.uuid()));
            let row = own.filter(segments::id.eq(id.uuid())).first(session.conn()).await;
            row.optional().map_err(store_error)?
        };
        let row = row.into_iter().collect();
        Ok(self.counted(organization, row).await?.pop())
    }

    async fn look_up(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Option<Segment>, StoreError> {
        let mut session = self.store.session().await?;
        let own = SegmentRow::query().filter(segments::organization_id.eq(organization.uuid()));
        let row = own.filter(segments::id.eq(id.uuid())).first(session.conn()).await;
        let row = row.optional().map_err(store_error)?;
        Ok(row.map(CountedSegment::try_from).transpose()?.map(|counted| counted.segment))
    }

    async fn names(&self, organization: Id<Organization>) -> Result<Vec<SegmentName>, StoreError> {
        // At most `MAX_SEGMENTS`.
        let names = segments::table
            .filter(segments::organization_id.eq(organization.uuid()))
            .order(segments::id)
            .select((segments::id, segments::name));
        let mut session = self.store.session().await?;
        let names: Vec<(Uuid, String)> = names.load(session.conn()).await.map_err(store_error)?;
        Ok(names.into_iter().map(|(id, name)| SegmentName { id: id.into(), name }).collect())
    }

    async fn insert(&self, segment: &Segment) -> Result<Option<CountedSegment>, EvaluationError> {
        if !self.has_room(segment.organization).await? {
            return Ok(None);
        }
        let inserted = if segment.is_dynamic {
            self.insert_dynamic(segment).await?
        } else {
            self.insert_frozen(segment).await?
        };
        Ok(Some(inserted))
    }

    async fn update(&self, segment: &Segment) -> Result<Option<CountedSegment>, EvaluationError> {
        let Segment { organization, id, .. } = *segment;
        let row = NewSegmentRow::from(segment);
        let update = diesel::update(segments::table.find((organization.uuid(), id.uuid())));
        let kept = segments::rules.eq(row.rules.clone());
        let names = (segments::name.eq(row.name), segments::description.eq(row.description));
        // The count stays valid as long as the rules do.
        let renamed = {
            let mut session = self.store.session().await?;
            let renamed = update.filter(kept).set(names.clone()).execute(session.conn()).await;
            renamed.map_err(store_error)? > 0
        };
        if !renamed && segment.is_dynamic {
            let count = self.count(organization, &segment.rules).await?;
            let recounted = (
                segments::rules.eq(row.rules),
                segments::contact_count.eq(count),
                segments::counted_at.eq(diesel::dsl::now),
                segments::count_begun_at.eq(diesel::dsl::now),
                segments::recount_at.eq(None::<chrono::DateTime<chrono::Utc>>),
            );
            let mut session = self.store.session().await?;
            let update = diesel::update(segments::table.find((organization.uuid(), id.uuid())));
            update.set((names, recounted)).execute(session.conn()).await.map_err(store_error)?;
        }
        Ok(self.find(organization, id).await?)
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Segment>,
    ) -> Result<Deleted, StoreError> {
        let segment = segments::table.find((organization.uuid(), id.uuid()));
        let mut session = self.store.transaction().await?;
        // A campaign that is being created for it waits, or was first.
        let locked = segment.select(segments::id).for_update();
        let locked: Option<Uuid> =
            locked.first(session.conn()).await.optional().map_err(store_error)?;
        if locked.is_none() {
            return Ok(Deleted::Missing);
        }
        if is_needed(session.conn(), organization, id).await? {
            return Ok(Deleted::InUse);
        }
        diesel::delete(segment).execute(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(Deleted::Done)
    }

    async fn preview(
        &self,
        organization: Id<Organization>,
        rules: &Rules,
    ) -> Result<Preview, EvaluationError> {
        let _turn = self.turns.take(organization).await?;
        let mut session = self.evaluation.session().await?;
        let sample = Sample::new(organization, Fitting::new(organization, rules.rule()));
        let rows: Vec<(i64, ContactRow)> =
            sample.load(session.conn()).await.map_err(evaluation_error)?;
        let count = rows.as_slice().first().map_or(0, |(count, _)| count.unsigned_abs());
        let sample: Result<_, _> =
            rows.into_iter().map(|(_, row)| Contact::try_from(row)).collect();
        Ok(Preview { count, sample: sample?, warnings: rules.warnings() })
    }

    async fn unknown_campaigns(
        &self,
        organization: Id<Organization>,
        campaigns: &[CampaignId],
    ) -> Result<Vec<CampaignId>, StoreError> {
        let unknown = sql!(
            "SELECT wanted.id FROM unnest({campaigns}::uuid[]) AS wanted (id) \
             WHERE NOT EXISTS (SELECT FROM campaigns campaign \
                WHERE campaign.organization_id = {organization} AND campaign.id = wanted.id)",
            campaigns,
            organization,
        );
        unknown.values(self.store.session().await?.conn()).await
    }

    async fn attribute_names(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<String>, StoreError> {
        // The newest contacts stand for all: nobody waits for a walk over a million of them.
        let names = sql!(
            "SELECT DISTINCT name FROM ( \
                SELECT attributes FROM contacts WHERE organization_id = {organization} \
                ORDER BY id DESC LIMIT 1000 \
             ) AS newest CROSS JOIN LATERAL jsonb_object_keys(newest.attributes) AS name \
             LIMIT 1000",
            organization,
        );
        names.values(self.store.session().await?.conn()).await
    }
}

pub(crate) fn evaluation_error(error: diesel::result::Error) -> EvaluationError {
    evaluation_failure(store_error(error))
}

/// Translates the failure of an evaluation, which has a time limit.
fn evaluation_failure(error: StoreError) -> EvaluationError {
    if is_statement_timeout(&error) {
        EvaluationError::TooSlow
    } else {
        EvaluationError::Store(error)
    }
}

/// True if a campaign that has not ended is for a segment.
async fn is_needed(
    conn: &mut Connection,
    organization: Id<Organization>,
    segment: Id<Segment>,
) -> Result<bool, StoreError> {
    let need = sql!(
        "SELECT EXISTS (SELECT FROM campaigns \
            WHERE organization_id = {organization} AND segment_id = {segment} \
                AND status NOT IN ('REJECTED', 'COMPLETED', 'CANCELLED', 'FAILED'))",
        organization,
        segment,
    );
    need.only(conn).await
}
