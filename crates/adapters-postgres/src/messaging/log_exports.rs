//! Exports of the delivery log, as their members see them, and their files.

mod compression;
mod queue;
mod row;

use async_trait::async_trait;
use diesel::prelude::*;
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
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::log_exports,
};

row! {
    #[derive(Default)]
    struct CountRow {
        /// Exports of a member that are being prepared.
        preparing: i64,
        /// Exports of the organization that are kept.
        kept: i64,
    }
}

#[async_trait]
impl LogExportRepository for PgStore {
    async fn begin(&self, export: &LogExport) -> Result<(), LogExportError> {
        let (organization, filter) = (export.organization, &export.filter);
        let mut transaction = self.transaction().await?;
        // Requests of an organization wait for each other, so that its limits hold.
        let lock = sql!(
            "SELECT pg_advisory_xact_lock(hashtext('atumpan log exports'), \
                hashtext({organization}))",
            organization = organization.to_string(),
        );
        lock.execute(transaction.conn()).await?;
        let count = sql!(
            "SELECT count(*) FILTER (WHERE kept_until IS NULL AND created_by = {member}) \
                    AS preparing, \
                count(*) FILTER (WHERE kept_until IS NULL OR kept_until > now()) AS kept \
             FROM log_exports WHERE organization_id = {organization}",
            member = export.created_by,
            organization,
        );
        let counted: Option<CountRow> = count.row(transaction.conn()).await?;
        let CountRow { preparing, kept } = counted.unwrap_or_default();
        let held =
            HeldLogExports { preparing: preparing.unsigned_abs(), kept: kept.unsigned_abs() };
        held.find_room().map_err(LogExportError::NoRoom)?;
        let add = sql!(
            ADD,
            organization,
            id = export.id,
            member = export.created_by,
            status = export.state.status().as_str(),
            message_status = filter.status.map(Status::as_str),
            channel = filter.channel.map(Channel::as_str),
            recipients = filter.recipients.as_ref(),
            campaign = filter.campaign,
            accepted_from = filter.from,
            accepted_to = filter.to,
            event = filter.event.as_deref(),
            provider = filter.provider.as_deref(),
            error_code = filter.error_code.map(FailureCode::as_str),
            is_sandbox = filter.is_sandbox,
            metadata = (!filter.metadata.is_empty()).then(|| json!(filter.metadata)),
            created_at = export.created_at,
        );
        add.execute(transaction.conn()).await?;
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
        let find = sql!(
            "SELECT bytes FROM log_export_parts \
             WHERE organization_id = {organization} AND export_id = {id} AND number = {number}",
            organization,
            id,
            number = i32::try_from(number).unwrap_or(i32::MAX),
        );
        let bytes: Option<Vec<u8>> = find.value(self.session().await?.conn()).await?;
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
        // The parts go with it.
        let delete = sql!(
            "DELETE FROM log_exports \
             WHERE organization_id = {organization} AND id = {id} AND created_by = {member}",
            organization,
            id,
            member,
        );
        Ok(delete.execute(self.session().await?.conn()).await? > 0)
    }
}

const ADD: &str = "\
    INSERT INTO log_exports (organization_id, id, created_by, status, message_status, channel, \
        recipients, campaign_id, accepted_from, accepted_to, event, provider, error_code, is_sandbox, \
        metadata, created_at) \
    VALUES ({organization}, {id}, {member}, {status}, {message_status}, {channel}, {recipients}, \
        {campaign}, {accepted_from}, {accepted_to}, {event}, {provider}, {error_code}, {is_sandbox}, \
        {metadata}, {created_at})";
