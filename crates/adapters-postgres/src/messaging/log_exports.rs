//! Exports of the delivery log, as their members see them, and their files.

mod compression;
mod queue;
mod row;

use async_trait::async_trait;
use diesel::{
    prelude::*,
    sql_types::{
        Array, BigInt, Binary, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid,
    },
};
use domain::{
    identity::{organization::Organization, user::User},
    messaging::{
        delivery::{FailureCode, Status},
        log_export::{HeldLogExports, LogExport},
    },
    shared::{channel::Channel, id::Id},
};
use ports::{
    messaging::log_exports::{LogExportError, LogExportRepository},
    shared::store::StoreError,
};
use serde_json::json;

use self::row::ExportRow;
use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
    schema::log_exports,
};

#[async_trait]
impl LogExportRepository for PgStore {
    async fn begin(&self, export: &LogExport) -> Result<(), LogExportError> {
        let (organization, filter) = (export.organization.uuid(), &export.filter);
        let mut transaction = self.transaction().await?;
        let lock = Statement::new(&[LOCK]).bind::<Text, _>(organization.to_string());
        lock.execute(transaction.conn()).await.map_err(store_error)?;
        let count = Statement::<(BigInt, BigInt)>::returning(&[COUNT])
            .bind::<SqlUuid, _>(export.created_by.uuid())
            .bind::<SqlUuid, _>(organization);
        let (preparing, kept): (i64, i64) =
            count.get_result(transaction.conn()).await.map_err(store_error)?;
        let held =
            HeldLogExports { preparing: preparing.unsigned_abs(), kept: kept.unsigned_abs() };
        held.find_room().map_err(LogExportError::NoRoom)?;
        let metadata = (!filter.metadata.is_empty()).then(|| json!(filter.metadata));
        Statement::new(&[ADD])
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(export.id.uuid())
            .bind::<SqlUuid, _>(export.created_by.uuid())
            .bind::<Text, _>(export.state.status().as_str())
            .bind::<Nullable<Text>, _>(filter.status.map(Status::as_str))
            .bind::<Nullable<Text>, _>(filter.channel.map(Channel::as_str))
            .bind::<Nullable<Array<Text>>, _>(filter.recipients.as_ref())
            .bind::<Nullable<SqlUuid>, _>(filter.campaign.map(Id::uuid))
            .bind::<Nullable<Timestamptz>, _>(filter.from)
            .bind::<Nullable<Timestamptz>, _>(filter.to)
            .bind::<Nullable<Text>, _>(filter.event.as_deref())
            .bind::<Nullable<Text>, _>(filter.provider.as_deref())
            .bind::<Nullable<Text>, _>(filter.error_code.map(FailureCode::as_str))
            .bind::<Nullable<Bool>, _>(filter.is_sandbox)
            .bind::<Nullable<Jsonb>, _>(metadata)
            .bind::<Timestamptz, _>(export.created_at)
            .execute(transaction.conn())
            .await
            .map_err(store_error)?;
        Ok(transaction.commit().await?)
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        member: Id<User>,
        id: Id<LogExport>,
    ) -> Result<Option<LogExport>, StoreError> {
        let query = ExportRow::query()
            .filter(log_exports::organization_id.eq(organization.uuid()))
            .filter(log_exports::id.eq(id.uuid()))
            .filter(log_exports::created_by.eq(member.uuid()));
        let mut session = self.session().await?;
        let row: Option<ExportRow> =
            query.first(session.conn()).await.optional().map_err(store_error)?;
        row.map(LogExport::try_from).transpose()
    }

    async fn list(
        &self,
        organization: Id<Organization>,
        member: Id<User>,
    ) -> Result<Vec<LogExport>, StoreError> {
        let query = ExportRow::query()
            .filter(log_exports::organization_id.eq(organization.uuid()))
            .filter(log_exports::created_by.eq(member.uuid()))
            .order(log_exports::id.desc());
        let mut session = self.session().await?;
        let rows: Vec<ExportRow> = query.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(LogExport::try_from).collect()
    }

    async fn part(
        &self,
        organization: Id<Organization>,
        id: Id<LogExport>,
        number: u32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let find = Statement::<Binary>::returning(&[FIND_PART])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(id.uuid())
            .bind::<Integer, _>(i32::try_from(number).unwrap_or(i32::MAX));
        let mut session = self.session().await?;
        let bytes: Option<Vec<u8>> =
            find.get_result(session.conn()).await.optional().map_err(store_error)?;
        drop(session);
        let Some(bytes) = bytes else { return Ok(None) };
        let text = compression::decompress(&bytes).map_err(|_| corrupt("log_export_parts", id))?;
        Ok(Some(text))
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        member: Id<User>,
        id: Id<LogExport>,
    ) -> Result<bool, StoreError> {
        let delete = Statement::new(&[DELETE])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(id.uuid())
            .bind::<SqlUuid, _>(member.uuid());
        let mut session = self.session().await?;
        Ok(delete.execute(session.conn()).await.map_err(store_error)? > 0)
    }
}

/// Requests of an organization wait for each other, so that its limits hold.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('atumpan log exports'), hashtext(?))";

/// Counts the exports of a member that are being prepared, and those of the organization that are kept.
const COUNT: &str = "\
    SELECT count(*) FILTER (WHERE kept_until IS NULL AND created_by = ?), \
        count(*) FILTER (WHERE kept_until IS NULL OR kept_until > now()) \
    FROM log_exports WHERE organization_id = ?";

const ADD: &str = "\
    INSERT INTO log_exports (organization_id, id, created_by, status, message_status, channel, \
        recipients, campaign_id, accepted_from, accepted_to, event, provider, error_code, is_sandbox, \
        metadata, created_at) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

const FIND_PART: &str = "\
    SELECT bytes FROM log_export_parts \
    WHERE organization_id = ? AND export_id = ? AND number = ?";

/// The parts go with it.
const DELETE: &str = "\
    DELETE FROM log_exports WHERE organization_id = ? AND id = ? AND created_by = ?";
