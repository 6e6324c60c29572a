//! Events of messages of the sandbox, deleted together with them.

use domain::messaging::job::Step;
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Records the events of messages of the sandbox, in their transaction.
pub(crate) async fn note(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
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
    let note = sql!(
        "INSERT INTO sandbox_events (organization_id, message_id, event_id) \
         SELECT * FROM UNNEST({organizations}::uuid[], {messages}::uuid[], {events}::uuid[])",
        organizations,
        messages,
        events,
    );
    note.execute(conn).await?;
    Ok(())
}
