//! Queue of notices.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{identity::organization::Organization, shared::id::Id};
use ports::{
    platform::notices::{DueNotice, NoticeQueue, NoticeResult},
    shared::store::StoreError,
};
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    notices::read_cause,
    query::{row::row, sql::sql},
};

row! {
    struct DueRow {
        organization_id: Id<Organization>,
        id: Uuid,
        kind: String,
        key: String,
        data: Value,
        attempts: i32,
    }
}

#[async_trait]
impl NoticeQueue for PgStore {
    async fn take_due(
        &self,
        timeout: TimeDelta,
        limit: usize,
    ) -> Result<Vec<DueNotice>, StoreError> {
        let take = sql!(
            "UPDATE notices SET due_at = now() + make_interval(secs => {timeout}::bigint), \
                attempts = attempts + 1 \
             WHERE ctid = ANY(ARRAY(SELECT ctid FROM notices \
                WHERE ended_at IS NULL AND due_at <= now() \
                ORDER BY due_at LIMIT {most} FOR UPDATE SKIP LOCKED)) \
             RETURNING organization_id, id, kind, key, data, attempts",
            timeout = timeout.num_seconds(),
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<DueRow> = take.rows(self.session().await?.conn()).await?;
        Ok(rows.into_iter().map(due).collect())
    }

    async fn record(&self, notice: &DueNotice, result: NoticeResult) -> Result<(), StoreError> {
        let (status, pause) = match result {
            NoticeResult::Sent => ("SENT", TimeDelta::zero()),
            NoticeResult::Retry(pause) => ("PENDING", pause),
            NoticeResult::GivenUp => ("GIVEN_UP", TimeDelta::zero()),
        };
        let record = sql!(
            "UPDATE notices SET status = {status}, \
                due_at = now() + make_interval(secs => {pause}::bigint), \
                ended_at = CASE WHEN {is_ended} THEN now() END \
             WHERE organization_id = {organization} AND id = {id} AND ended_at IS NULL",
            status,
            pause = pause.num_seconds(),
            is_ended = status != "PENDING",
            organization = notice.organization,
            id = notice.id,
        );
        record.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

fn due(row: DueRow) -> DueNotice {
    DueNotice {
        id: Id::of(row.id),
        organization: row.organization_id,
        key: row.key,
        attempt: row.attempts.unsigned_abs(),
        cause: read_cause(row.organization_id, &row.kind, row.data),
    }
}
