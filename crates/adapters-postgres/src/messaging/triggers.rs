//! Triggers that may continue on another channel.

mod row;
mod steps;
mod written;

use async_trait::async_trait;
use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, SmallInt, Text, Uuid as SqlUuid},
};
use domain::messaging::message::TriggerId;
use domain::{identity::organization::Organization, outreach::trigger::Trigger, shared::id::Id};
use ports::{outreach::events::TriggerRepository, shared::store::StoreError};

use self::row::TriggerRow;
pub(crate) use self::{
    steps::note,
    written::{TriggerPositions, TriggerWritten, TriggersWritten, WRITE, positions},
};
use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
    schema::triggers,
};

/// Duration of the lease of a trigger, in seconds.
const LEASE_SECONDS: i64 = 30;

#[async_trait]
impl TriggerRepository for PgStore {
    async fn find(
        &self,
        organization: Id<Organization>,
        id: TriggerId,
    ) -> Result<Option<Trigger>, StoreError> {
        let query = TriggerRow::query()
            .filter(triggers::organization_id.eq(organization.uuid()))
            .filter(triggers::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(Trigger::try_from).transpose()
    }

    async fn take_due(
        &self,
        limit: usize,
        busy: &[Id<Organization>],
    ) -> Result<Vec<Trigger>, StoreError> {
        let busy: Vec<_> = busy.iter().map(|id| id.uuid()).collect();
        let mut session = self.session().await?;
        let rows: Vec<TriggerRow> = Statement::<Columns>::returning(&[TAKE_DUE])
            .bind::<BigInt, _>(LEASE_SECONDS)
            .bind::<Array<SqlUuid>, _>(busy)
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
            .load(session.conn())
            .await
            .map_err(store_error)?;
        rows.into_iter().map(Trigger::try_from).collect()
    }

    async fn end(&self, trigger: &Trigger) -> Result<(), StoreError> {
        let tried = i16::try_from(trigger.tried()).unwrap_or(i16::MAX);
        let end = Statement::new(&[END])
            .bind::<SqlUuid, _>(trigger.organization.uuid())
            .bind::<SqlUuid, _>(trigger.id.uuid())
            .bind::<SmallInt, _>(tried);
        end.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }
}

type Columns = (SqlUuid, SqlUuid, Text, Bool, Jsonb, Jsonb, Nullable<Integer>, Text);

/// A trigger whose worker does not return is taken by others when the lease ends.
const TAKE_DUE: &str = "\
    UPDATE triggers SET due_at = now() + make_interval(secs => ?::bigint) \
    WHERE ctid = ANY(ARRAY( \
        SELECT ctid FROM triggers WHERE due_at <= now() AND organization_id <> ALL(?) \
        ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)) \
    RETURNING organization_id, id, event, is_sandbox, channels, drafts, after_seconds, until_status";

const END: &str = "\
    UPDATE triggers SET due_at = NULL, drafts = '[]', ended_at = now(), \
        expires_at = now() + interval '7 days' \
    WHERE organization_id = ? AND id = ? AND tried = ? AND ended_at IS NULL";
