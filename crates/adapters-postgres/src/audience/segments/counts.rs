//! Numbers of contacts in segments: counted on request, or stored.

use std::{collections::HashMap, time::Duration};

use chrono::{DateTime, Utc};
use diesel::{prelude::*, result::Error as DieselError};
use diesel_async::SimpleAsyncConnection;
use domain::{
    audience::segment::{COUNTED_AT_ONCE, CountedSegment, Segment},
    identity::organization::Organization,
    shared::id::Id,
};
use ports::{audience::segments::EvaluationError, shared::store::StoreError};
use uuid::Uuid;

use super::{PgSegments, condition::Fitting, evaluation_error, queries::Counts, row::SegmentRow};
use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::segments,
};

/// Maximum time for which a request counts, and for which it first waits for others of its
/// organization.
const IN_REQUEST: Duration = Duration::from_secs(2);
const FOR_TURN: Duration = Duration::from_secs(2);
/// Maximum time of a count in the background.
const IN_BACKGROUND: Duration = Duration::from_secs(30);

/// Number of contacts of each segment.
type Counted = HashMap<Uuid, i64>;

row! {
    /// Time of the database, and number of contacts of an organization.
    struct NowRow {
        now: DateTime<Utc>,
        contacts: i64,
    }
}

row! {
    /// Segment that is to be counted.
    struct DueRow {
        organization_id: Id<Organization>,
        id: Uuid,
    }
}

impl PgSegments {
    /// Returns the segments with their current counts. Those of an organization with many contacts
    /// are counted at most once a minute, by the first request. Counts that take too long are done
    /// in the background, and the stored counts are returned.
    pub(super) async fn counted(
        &self,
        organization: Id<Organization>,
        rows: Vec<SegmentRow>,
    ) -> Result<Vec<CountedSegment>, StoreError> {
        let listed: Result<Vec<_>, _> = rows.into_iter().map(CountedSegment::try_from).collect();
        let mut listed = listed?;
        if listed.is_empty() {
            return Ok(listed);
        }
        let mut ids: Vec<_> = listed.iter().map(|item| item.segment.id.uuid()).collect();
        let NowRow { now, contacts } = self.store.now_and_contacts(organization).await?;
        let is_large = contacts.unsigned_abs() > COUNTED_AT_ONCE;
        if is_large {
            ids = self.store.begin_counting(organization, &ids).await?;
        }
        let due = listed.iter().map(|item| &item.segment);
        let due: Vec<_> = due.filter(|segment| ids.contains(&segment.id.uuid())).collect();
        if due.is_empty() {
            return Ok(listed);
        }
        let counted = match self.count_in_request(organization, &due).await {
            Ok(counted) => counted,
            Err(EvaluationError::TooSlow | EvaluationError::Store(StoreError::Unavailable(_))) => {
                self.store.leave_counting(organization, &ids).await?;
                return Ok(listed);
            }
            Err(EvaluationError::Store(error)) => return Err(error),
        };
        if is_large {
            self.store.keep_counts(organization, &counted).await?;
        }
        for item in &mut listed {
            if let Some(count) = counted.get(&item.segment.id.uuid()) {
                (item.contacts, item.counted_at) = (count.unsigned_abs(), now);
            }
        }
        Ok(listed)
    }

    async fn count_in_request(
        &self,
        organization: Id<Organization>,
        segments: &[&Segment],
    ) -> Result<Counted, EvaluationError> {
        let _turn = self.turns.take_within(FOR_TURN, organization).await?;
        self.evaluation.count_segments(organization, segments, IN_REQUEST).await
    }
}

impl PgStore {
    /// Counts the contacts of the segments of one organization whose requests ran out of time.
    /// Returns false if there is nothing to count. Meant for a store of
    /// [`connect_background`](Self::connect_background), every second; any number of instances may
    /// do so at once.
    pub async fn recount_segments(&self) -> Result<bool, StoreError> {
        // All due segments of one organization. A claim lasts two minutes.
        let claim = sql!(
            "UPDATE segments SET recount_at = now() + interval '2 minutes' \
             WHERE organization_id = ANY(ARRAY( \
                    SELECT organization_id FROM segments \
                    WHERE recount_at <= now() ORDER BY recount_at LIMIT 1)) \
                AND recount_at <= now() \
             RETURNING organization_id, id"
        );
        let claimed: Vec<DueRow> = claim.rows(self.session().await?.conn()).await?;
        let Some(first) = claimed.as_slice().first() else { return Ok(false) };
        let organization = first.organization_id;
        let ids: Vec<_> = claimed.iter().map(|due| due.id).collect();
        let rows = {
            let mut session = self.session().await?;
            let own = SegmentRow::query().filter(segments::organization_id.eq(organization.uuid()));
            let rows = own.filter(segments::id.eq_any(&ids)).load(session.conn()).await;
            rows.map_err(store_error)?
        };
        let due: Result<Vec<_>, _> = rows.into_iter().map(CountedSegment::try_from).collect();
        let due = due?;
        let due: Vec<_> = due.iter().map(|item| &item.segment).collect();
        match self.count_segments(organization, &due, IN_BACKGROUND).await {
            Ok(counted) => self.keep_counts(organization, &counted).await?,
            Err(EvaluationError::Store(error)) => return Err(error),
            Err(EvaluationError::TooSlow) => {
                tracing::warn!(
                    %organization,
                    segments = due.len(),
                    "failed to count the contacts of segments in time; the last counts are kept"
                );
                self.give_up_counting(organization, &ids).await?;
            }
        }
        Ok(true)
    }

    /// Returns the time of the database, and the number of contacts of an organization.
    async fn now_and_contacts(&self, organization: Id<Organization>) -> Result<NowRow, StoreError> {
        let find = sql!(
            "SELECT now() AS now, coalesce((SELECT contacts FROM contact_counts \
                WHERE organization_id = {organization}), 0) AS contacts",
            organization,
        );
        let row = find.row(self.session().await?.conn()).await?;
        row.ok_or_else(|| store_error(DieselError::NotFound))
    }

    /// Marks the segments that were not counted for a minute as being counted, and returns them.
    async fn begin_counting(
        &self,
        organization: Id<Organization>,
        ids: &[Uuid],
    ) -> Result<Vec<Uuid>, StoreError> {
        // The request has ten seconds. After that the background counts.
        let begin = sql!(
            "UPDATE segments SET count_begun_at = now(), \
                recount_at = now() + interval '10 seconds' \
             WHERE organization_id = {organization} AND id = ANY({ids}) \
                AND count_begun_at < now() - interval '1 minute' \
             RETURNING id",
            organization,
            ids,
        );
        begin.values(self.session().await?.conn()).await
    }

    /// Leaves the count to the background.
    async fn leave_counting(
        &self,
        organization: Id<Organization>,
        ids: &[Uuid],
    ) -> Result<(), StoreError> {
        // Covers segments whose count nobody has begun for a minute, and those of this request.
        // Segments that the background counts already stay as they are.
        let leave = sql!(
            "UPDATE segments SET count_begun_at = now(), recount_at = now() \
             WHERE organization_id = {organization} AND id = ANY({ids}) \
                AND (count_begun_at < now() - interval '1 minute' \
                    OR recount_at <= now() + interval '10 seconds')",
            organization,
            ids,
        );
        leave.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn give_up_counting(
        &self,
        organization: Id<Organization>,
        ids: &[Uuid],
    ) -> Result<(), StoreError> {
        let give_up = sql!(
            "UPDATE segments SET recount_at = NULL \
             WHERE organization_id = {organization} AND id = ANY({ids})",
            organization,
            ids,
        );
        give_up.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn keep_counts(
        &self,
        organization: Id<Organization>,
        counted: &Counted,
    ) -> Result<(), StoreError> {
        let (ids, counts): (Vec<Uuid>, Vec<i64>) = counted.iter().unzip();
        // If the rules of a segment changed meanwhile, its count is that of the new rules already.
        let keep = sql!(
            "UPDATE segments SET contact_count = counted.contacts, counted_at = now(), \
                recount_at = NULL \
             FROM unnest({ids}::uuid[], {counts}::bigint[]) AS counted (id, contacts) \
             WHERE organization_id = {organization} AND segments.id = ANY(ARRAY[counted.id]) \
                AND recount_at IS NOT NULL",
            ids,
            counts,
            organization,
        );
        keep.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn count_segments(
        &self,
        organization: Id<Organization>,
        segments: &[&Segment],
        limit: Duration,
    ) -> Result<Counted, EvaluationError> {
        let (dynamic, frozen): (Vec<&Segment>, Vec<&Segment>) =
            segments.iter().partition(|segment| segment.is_dynamic);
        let ids = |segments: &[&Segment]| segments.iter().map(|it| it.id.uuid()).collect();
        let counts = Counts {
            organization: organization.uuid(),
            dynamic: ids(&dynamic),
            fitting: dynamic.iter().map(|it| Fitting::new(organization, it.rules.rule())).collect(),
            frozen: ids(&frozen),
        };
        let mut session = self.transaction().await?;
        let limit = format!("SET LOCAL statement_timeout = {}", limit.as_millis());
        session.conn().batch_execute(&limit).await.map_err(evaluation_error)?;
        let found: Vec<(Uuid, i64)> =
            counts.load(session.conn()).await.map_err(evaluation_error)?;
        session.commit().await?;
        // A segment whose members are all gone is not found.
        let mut counted: Counted = segments.iter().map(|it| (it.id.uuid(), 0)).collect();
        counted.extend(found);
        Ok(counted)
    }
}
