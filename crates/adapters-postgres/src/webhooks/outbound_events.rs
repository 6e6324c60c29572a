//! Events published to webhooks, written with the change that they report.

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::job::Step,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{DueDelivery, EndpointKey, FreshDelivery},
};
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
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
        RETURNING endpoint_id, id, due_at \
    ) ";

/// As [`PUBLISH`], with the trace at the end.
const PUBLISH_TRACED: &str = "published AS ( \
    INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at, trace) ";

row! {
    struct DeliveredRow {
        endpoint_id: Uuid,
        /// Event.
        id: Uuid,
        due_at: DateTime<Utc>,
    }
}

/// Writes the events of steps, in their transaction. Returns their deliveries.
pub(crate) async fn write(
    conn: &Connection,
    steps: &[&Step],
) -> Result<Vec<FreshDelivery>, StoreError> {
    let steps: Vec<_> = steps.iter().filter_map(|step| Some((*step, step.event()?))).collect();
    let published: Vec<&OutboundEvent> = steps.iter().map(|(_, event)| *event).collect();
    let trace = |(step, _): &(&Step, &OutboundEvent)| step.message().span();
    let traces: Vec<_> = steps.iter().map(|it| trace(it).map(|span| span.to_string())).collect();
    if published.is_empty() {
        return Ok(Vec::new());
    }
    let write = sql!(
        ["WITH ", PUBLISH_TRACED, GIVEN, DELIVER, "SELECT endpoint_id, id, due_at FROM delivered"],
        organizations = column(&published, |it| it.organization),
        ids = column(&published, |it| it.id),
        events = column(&published, |it| it.event.as_str()),
        subjects = column(&published, |it| it.subject),
        data = column(&published, |it| it.data.as_str()),
        times = column(&published, |it| it.at),
        traces,
    );
    Ok(fresh(&steps, write.rows(conn).await?))
}

fn fresh(steps: &[(&Step, &OutboundEvent)], delivered: Vec<DeliveredRow>) -> Vec<FreshDelivery> {
    let events: HashMap<Uuid, (&Step, Arc<OutboundEvent>)> = steps
        .iter()
        .map(|(step, event)| (event.id.uuid(), (*step, Arc::new((*event).clone()))))
        .collect();
    let delivery = |row: DeliveredRow| {
        let (step, event) = events.get(&row.id)?;
        Some(FreshDelivery {
            key: EndpointKey {
                organization: event.organization,
                endpoint: Id::of(row.endpoint_id),
            },
            delivery: DueDelivery {
                event: Arc::clone(event),
                attempts: 0,
                due_at: row.due_at,
                trace: step.message().span(),
            },
            is_first: step.publishes_first_event(),
        })
    };
    delivered.into_iter().filter_map(delivery).collect()
}

/// Returns true if an organization has an active endpoint for an event.
pub(crate) async fn listens(
    conn: &mut Connection,
    organization: Id<Organization>,
    event: WebhookEvent,
) -> Result<bool, StoreError> {
    sql!("SELECT listens({organization}, {event})", organization, event = event.as_str())
        .only(conn)
        .await
}

/// Publishes an event, in the transaction of its cause, if an endpoint is subscribed to it.
pub(crate) async fn publish(
    conn: &mut Connection,
    event: &OutboundEvent,
) -> Result<(), StoreError> {
    let publish = sql!(
        ["WITH ", PUBLISH, IF_SUBSCRIBED, DELIVER, "SELECT"],
        organization = event.organization,
        id = event.id,
        event = event.event.as_str(),
        subject = event.subject,
        data = event.data.as_str(),
        at = event.at,
    );
    publish.execute(conn).await?;
    Ok(())
}

fn column<'t, V>(
    published: &[&'t OutboundEvent],
    value: impl Fn(&'t OutboundEvent) -> V,
) -> Vec<V> {
    published.iter().map(|event| value(event)).collect()
}

const IF_SUBSCRIBED: &str = "\
    SELECT * FROM (SELECT {organization}::uuid AS organization_id, {id}::uuid AS id, \
        {event}::text AS event, {subject}::uuid AS subject_id, {data}::text AS data, \
        {at}::timestamptz AS created_at) AS given \
    WHERE listens(given.organization_id, given.event)";

const GIVEN: &str = "\
    SELECT * FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {events}::text[], \
        {subjects}::uuid[], {data}::text[], {times}::timestamptz[], {traces}::text[])";
