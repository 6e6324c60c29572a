//! Segments whose members are frozen when they are created.

use chrono::{DateTime, Utc};
use diesel::{
    dsl::count_star,
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment},
    sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    audience::segment::{CountedSegment, MAX_SEGMENTS, Segment},
    identity::organization::Organization,
    shared::id::Id,
};
use ports::{audience::segments::EvaluationError, shared::store::StoreError};

use super::{PgSegments, condition::Fitting, evaluation_error, row::NewSegmentRow};
use crate::shared::{error::store_error, query::run_query::RunQueryDsl, schema::segments};

impl PgSegments {
    /// True if the organization may have another segment.
    pub(super) async fn has_room(
        &self,
        organization: Id<Organization>,
    ) -> Result<bool, StoreError> {
        let own = segments::table.filter(segments::organization_id.eq(organization.uuid()));
        let mut session = self.store.session().await?;
        let count: i64 =
            own.select(count_star()).first(session.conn()).await.map_err(store_error)?;
        Ok(count.unsigned_abs() < MAX_SEGMENTS)
    }

    /// Adds a dynamic segment.
    pub(super) async fn insert_dynamic(
        &self,
        segment: &Segment,
    ) -> Result<CountedSegment, EvaluationError> {
        let contact_count = self.count(segment.organization, &segment.rules).await?;
        let row = NewSegmentRow { contact_count, ..NewSegmentRow::from(segment) };
        let insert = diesel::insert_into(segments::table).values(&row);
        let mut session = self.store.session().await?;
        let counted_at = insert.returning(segments::counted_at).get_result(session.conn()).await;
        let counted_at = counted_at.map_err(store_error)?;
        Ok(CountedSegment {
            segment: segment.clone(),
            contacts: contact_count.unsigned_abs(),
            counted_at,
        })
    }

    /// Adds a segment with the contacts that match now as its members.
    pub(super) async fn insert_frozen(
        &self,
        segment: &Segment,
    ) -> Result<CountedSegment, EvaluationError> {
        let row = NewSegmentRow::from(segment);
        let fitting = Fitting::new(segment.organization, segment.rules.rule());
        let _turn = self.turns.take(segment.organization).await?;
        let mut session = self.evaluation.session().await?;
        let freeze = Freeze { row, fitting, part: MEMBERS_IN_A_ROW };
        let frozen: (i64, DateTime<Utc>) =
            freeze.get_result(session.conn()).await.map_err(evaluation_error)?;
        let (contacts, counted_at) = (frozen.0.unsigned_abs(), frozen.1);
        Ok(CountedSegment { segment: segment.clone(), contacts, counted_at })
    }
}

/// Maximum number of members stored in one row.
const MEMBERS_IN_A_ROW: i64 = 1_000;

/// Statement that adds a segment with its members. Returns the number of members, and the time.
struct Freeze<'r> {
    row: NewSegmentRow,
    fitting: Fitting<'r>,
    part: i64,
}

impl QueryFragment<Pg> for Freeze<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let row = &self.row;
        out.unsafe_to_cache_prepared();
        out.push_sql("WITH part AS (INSERT INTO segment_members SELECT ");
        out.push_bind_param::<SqlUuid, _>(&row.organization_id)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&row.id)?;
        out.push_sql(
            ", ids[cardinality(ids)], ids FROM (SELECT array_agg(id ORDER BY id) AS ids FROM (\
             SELECT id, (row_number() OVER (ORDER BY id) - 1) / ",
        );
        out.push_bind_param::<BigInt, _>(&self.part)?;
        out.push_sql(" AS part FROM contacts WHERE ");
        self.fitting.push(&mut out)?;
        out.push_sql(
            ") AS fitting GROUP BY part) AS parts RETURNING cardinality(contact_ids) AS size) \
             INSERT INTO segments (organization_id, id, name, description, rules, is_dynamic, \
             created_at, contact_count) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&row.organization_id)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&row.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&row.name)?;
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Text>, _>(&row.description)?;
        out.push_sql(", ");
        out.push_bind_param::<Jsonb, _>(&row.rules)?;
        out.push_sql(", ");
        out.push_bind_param::<Bool, _>(&row.is_dynamic)?;
        out.push_sql(", ");
        out.push_bind_param::<Timestamptz, _>(&row.created_at)?;
        out.push_sql(
            ", (SELECT coalesce(sum(size), 0) FROM part) RETURNING contact_count, counted_at",
        );
        Ok(())
    }
}

impl Query for Freeze<'_> {
    type SqlType = (BigInt, Timestamptz);
}
