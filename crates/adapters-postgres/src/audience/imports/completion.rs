//! Completion of imports: the event of it.

use diesel::prelude::*;
use domain::{
    audience::import::Import,
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::shared::store::StoreError;

use super::ImportRow;
use crate::{
    shared::{
        database::connection::Connection, error::store_error, query::run_query::RunQueryDsl,
        schema::imports,
    },
    webhooks::outbound_events,
};

/// Publishes the event of an import, in the transaction that completes it.
pub(super) async fn publish(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Import>,
) -> Result<(), StoreError> {
    let event = WebhookEvent::ImportCompleted;
    if !outbound_events::listens(conn, organization, event).await? {
        return Ok(());
    }
    let query = ImportRow::query()
        .filter(imports::organization_id.eq(organization.uuid()))
        .filter(imports::id.eq(id.uuid()));
    let row: ImportRow = query.first(conn).await.map_err(store_error)?;
    let import = Import::try_from(row)?;
    let at = import.completed_at.unwrap_or(import.created_at);
    let published = OutboundEvent {
        id: Id::new_in(at, organization),
        organization,
        event,
        subject: id.uuid(),
        data: import.to_json().to_string(),
        at,
    };
    outbound_events::publish(conn, &published).await
}
