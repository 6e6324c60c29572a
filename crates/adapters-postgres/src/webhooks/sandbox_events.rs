//! Events of messages of the sandbox, deleted together with them.

use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::messaging::job::Step;
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Records the events of messages of the sandbox, in their transaction.
pub(crate) async fn note(mut conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let published: Vec<(&Step, Uuid)> = steps
        .iter()
        .filter(|step| step.message().is_sandbox)
        .filter_map(|step| Some((*step, step.event()?.id.uuid())))
        .collect();
    if published.is_empty() {
        return Ok(());
    }
    let organizations: Vec<_> =
        published.iter().map(|(step, _)| step.message().organization.uuid()).collect();
    let messages: Vec<_> = published.iter().map(|(step, _)| step.message().id.uuid()).collect();
    let events: Vec<_> = published.iter().map(|(_, event)| *event).collect();
    Statement::new(&[NOTE])
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<Array<SqlUuid>, _>(messages)
        .bind::<Array<SqlUuid>, _>(events)
        .execute(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

const NOTE: &str = "\
    INSERT INTO sandbox_events (organization_id, message_id, event_id) SELECT * FROM UNNEST(?, ?, ?)";
