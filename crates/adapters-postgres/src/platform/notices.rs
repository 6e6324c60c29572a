//! Queue of notices.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::sql_types::{BigInt, Bool, Integer, Jsonb, Text, Uuid as SqlUuid};
use domain::shared::id::Id;
use ports::{
    platform::notices::{DueNotice, NoticeQueue, NoticeResult},
    shared::store::StoreError,
};
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    notices::read_cause,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Organization, identifier, kind, key, data, and number of attempts.
type DueTypes = (SqlUuid, SqlUuid, Text, Text, Jsonb, Integer);
type DueRow = (Uuid, Uuid, String, String, Value, i32);

#[async_trait]
impl NoticeQueue for PgStore {
    async fn take_due(
        &self,
        timeout: TimeDelta,
        limit: usize,
    ) -> Result<Vec<DueNotice>, StoreError> {
        let take = Statement::<DueTypes>::returning(&[TAKE])
            .bind::<BigInt, _>(timeout.num_seconds())
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows: Vec<DueRow> =
            take.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(due).collect())
    }

    async fn record(&self, notice: &DueNotice, result: NoticeResult) -> Result<(), StoreError> {
        let (status, pause) = match result {
            NoticeResult::Sent => ("SENT", TimeDelta::zero()),
            NoticeResult::Retry(pause) => ("PENDING", pause),
            NoticeResult::GivenUp => ("GIVEN_UP", TimeDelta::zero()),
        };
        let record = Statement::new(&[RECORD])
            .bind::<Text, _>(status)
            .bind::<BigInt, _>(pause.num_seconds())
            .bind::<Bool, _>(status != "PENDING")
            .bind::<SqlUuid, _>(notice.organization.uuid())
            .bind::<SqlUuid, _>(notice.id.uuid());
        record.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }
}

fn due((organization, id, kind, key, data, attempts): DueRow) -> DueNotice {
    let organization = Id::of(organization);
    DueNotice {
        id: Id::of(id),
        organization,
        key,
        attempt: attempts.unsigned_abs(),
        cause: read_cause(organization, &kind, data),
    }
}

const TAKE: &str = "\
    UPDATE notices SET due_at = now() + make_interval(secs => ?::bigint), attempts = attempts + 1 \
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM notices WHERE ended_at IS NULL AND due_at <= now() \
        ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)) \
    RETURNING organization_id, id, kind, key, data, attempts";

const RECORD: &str = "\
    UPDATE notices SET status = ?, due_at = now() + make_interval(secs => ?::bigint), \
        ended_at = CASE WHEN ? THEN now() END \
    WHERE organization_id = ? AND id = ? AND ended_at IS NULL";
