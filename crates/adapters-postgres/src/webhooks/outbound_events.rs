//! Events published to webhooks, written with the change that they report.

use diesel::sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid};
use domain::{messaging::job::Step, webhooks::outbound_event::OutboundEvent};
use ports::shared::store::StoreError;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Writes an event, as a part (`told AS (…)`) of the statement that makes the change. Must be
/// followed by a `SELECT` of the organization, a new identifier (`uuid_v7_in`), the event, its
/// subject, its data and the time, and then by [`DELIVER`].
pub(crate) const TELL: &str = "told AS ( \
    INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at) ";

/// Ends [`TELL`], and writes a delivery for each subscribed endpoint.
pub(crate) const DELIVER: &str = " \
    RETURNING organization_id, id, event, created_at \
    ), delivered AS ( \
        INSERT INTO webhook_deliveries (organization_id, endpoint_id, id) \
        SELECT told.organization_id, endpoint.id, told.id FROM told JOIN webhook_endpoints endpoint \
            ON endpoint.organization_id = ANY(ARRAY[told.organization_id]) \
        WHERE endpoint.is_active AND endpoint.begins_at <= told.created_at \
            AND (endpoint.events IS NULL OR told.event = ANY(endpoint.events)) \
    ) ";

/// Writes the events of steps, in their transaction.
pub(crate) async fn tell(mut conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let told: Vec<&OutboundEvent> = steps.iter().filter_map(|step| step.told()).collect();
    if told.is_empty() {
        return Ok(());
    }
    Statement::new(&["WITH ", TELL, GIVEN, DELIVER, "SELECT"])
        .bind::<Array<SqlUuid>, _>(column(&told, |it| it.organization.uuid()))
        .bind::<Array<SqlUuid>, _>(column(&told, |it| it.id.uuid()))
        .bind::<Array<Text>, _>(column(&told, |it| it.event.as_str()))
        .bind::<Array<SqlUuid>, _>(column(&told, |it| it.subject))
        .bind::<Array<Text>, _>(column(&told, |it| it.data.as_str()))
        .bind::<Array<Timestamptz>, _>(column(&told, |it| it.at))
        .execute(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

fn column<'t, V>(told: &[&'t OutboundEvent], value: impl Fn(&'t OutboundEvent) -> V) -> Vec<V> {
    told.iter().map(|event| value(event)).collect()
}

const GIVEN: &str = "SELECT * FROM UNNEST(?, ?, ?, ?, ?, ?)";
