//! Events published to webhooks, written with the change that they report.

use diesel::sql_types::{Array, Bool, Text, Timestamptz, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization,
    messaging::job::Step,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::shared::store::StoreError;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Writes an event, as a part (`published AS (…)`) of the statement that makes the change. Must be
/// followed by a `SELECT` of the organization, a new identifier (`uuid_v7_in`), the event, its
/// subject, its data and the time, and then by [`DELIVER`].
pub(crate) const PUBLISH: &str = "published AS ( \
    INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at) ";

/// Ends [`PUBLISH`], and writes a delivery for each subscribed endpoint.
pub(crate) const DELIVER: &str = " \
    RETURNING organization_id, id, event, created_at \
    ), delivered AS ( \
        INSERT INTO webhook_deliveries (organization_id, endpoint_id, id) \
        SELECT published.organization_id, endpoint.id, published.id FROM published JOIN webhook_endpoints endpoint \
            ON endpoint.organization_id = ANY(ARRAY[published.organization_id]) \
        WHERE endpoint.is_active AND endpoint.begins_at <= published.created_at \
            AND (endpoint.events IS NULL OR published.event = ANY(endpoint.events)) \
    ) ";

/// Writes the events of steps, in their transaction.
pub(crate) async fn write(mut conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let published: Vec<&OutboundEvent> = steps.iter().filter_map(|step| step.event()).collect();
    if published.is_empty() {
        return Ok(());
    }
    Statement::new(&["WITH ", PUBLISH, GIVEN, DELIVER, "SELECT"])
        .bind::<Array<SqlUuid>, _>(column(&published, |it| it.organization.uuid()))
        .bind::<Array<SqlUuid>, _>(column(&published, |it| it.id.uuid()))
        .bind::<Array<Text>, _>(column(&published, |it| it.event.as_str()))
        .bind::<Array<SqlUuid>, _>(column(&published, |it| it.subject))
        .bind::<Array<Text>, _>(column(&published, |it| it.data.as_str()))
        .bind::<Array<Timestamptz>, _>(column(&published, |it| it.at))
        .execute(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

/// Returns true if an organization has an active endpoint for an event.
pub(crate) async fn listens(
    conn: &mut Connection,
    organization: Id<Organization>,
    event: WebhookEvent,
) -> Result<bool, StoreError> {
    let query = Statement::<Bool>::returning(&["SELECT listens(?, ?)"])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Text, _>(event.as_str());
    query.get_result(conn).await.map_err(store_error)
}

/// Publishes an event, in the transaction of its cause, if an endpoint is subscribed to it.
pub(crate) async fn publish(
    conn: &mut Connection,
    event: &OutboundEvent,
) -> Result<(), StoreError> {
    Statement::new(&["WITH ", PUBLISH, IF_SUBSCRIBED, DELIVER, "SELECT"])
        .bind::<SqlUuid, _>(event.organization.uuid())
        .bind::<SqlUuid, _>(event.id.uuid())
        .bind::<Text, _>(event.event.as_str())
        .bind::<SqlUuid, _>(event.subject)
        .bind::<Text, _>(&event.data)
        .bind::<Timestamptz, _>(event.at)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

fn column<'t, V>(
    published: &[&'t OutboundEvent],
    value: impl Fn(&'t OutboundEvent) -> V,
) -> Vec<V> {
    published.iter().map(|event| value(event)).collect()
}

const IF_SUBSCRIBED: &str = "\
    SELECT * FROM (SELECT ?::uuid AS organization_id, ?::uuid AS id, ?::text AS event, \
        ?::uuid AS subject_id, ?::text AS data, ?::timestamptz AS created_at) AS given \
    WHERE listens(given.organization_id, given.event)";

const GIVEN: &str = "SELECT * FROM UNNEST(?, ?, ?, ?, ?, ?)";
