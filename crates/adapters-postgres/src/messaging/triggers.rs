//! Triggers that may continue on another channel.

mod row;
mod steps;
mod written;

use async_trait::async_trait;
use diesel::prelude::*;
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
    query::{run_query::RunQueryDsl, sql::sql},
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
        // A trigger whose worker does not return is taken by others when the lease ends.
        let take = sql!(
            "UPDATE triggers SET due_at = now() + make_interval(secs => {lease_seconds}::bigint) \
             WHERE ctid = ANY(ARRAY( \
                SELECT ctid FROM triggers WHERE due_at <= now() AND organization_id <> ALL({busy}) \
                ORDER BY due_at LIMIT {most} FOR UPDATE SKIP LOCKED)) \
             RETURNING organization_id, id, event, is_sandbox, channels, drafts, after_seconds, \
                until_status",
            lease_seconds = LEASE_SECONDS,
            busy,
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<TriggerRow> = take.rows(self.session().await?.conn()).await?;
        rows.into_iter().map(Trigger::try_from).collect()
    }

    async fn end(&self, trigger: &Trigger) -> Result<(), StoreError> {
        let end = sql!(
            "UPDATE triggers SET due_at = NULL, drafts = '[]', ended_at = now(), \
                expires_at = now() + interval '7 days' \
             WHERE organization_id = {organization} AND id = {id} AND tried = {tried} \
                AND ended_at IS NULL",
            organization = trigger.organization,
            id = trigger.id,
            tried = i16::try_from(trigger.tried()).unwrap_or(i16::MAX),
        );
        end.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}
