//! Entries of the audit log, written with the change that they describe.

use diesel::prelude::*;
use domain::platform::audit::AuditEntry;
use ports::shared::store::StoreError;
use serde_json::json;

use crate::shared::{
    database::connection::Connection, error::store_error, query::run_query::RunQueryDsl,
    schema::audit_log,
};

/// Adds an entry, in the transaction of the change that it describes.
pub(crate) async fn insert(conn: &mut Connection, entry: &AuditEntry) -> Result<(), StoreError> {
    let row = (
        audit_log::id.eq(entry.id.uuid()),
        audit_log::organization_id.eq(entry.organization.uuid()),
        audit_log::at.eq(entry.at),
        audit_log::user_id.eq(entry.actor.user.uuid()),
        audit_log::request_id.eq(entry.actor.request.as_str()),
        audit_log::impersonated.eq(entry.actor.is_impersonating),
        audit_log::action.eq(entry.action.as_str()),
        audit_log::resource_type.eq(entry.resource_type),
        audit_log::resource_id.eq(entry.resource),
        audit_log::details.eq(json!(entry.details)),
    );
    let insert = diesel::insert_into(audit_log::table).values(row);
    insert.execute(conn).await.map_err(store_error)?;
    Ok(())
}
