//! Due deliveries of endpoints.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    shared::{id::Id, trace::TraceContext},
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{Failing, PreviousSecret, WebhookSecret},
    },
};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{
        CalledEndpoint, DueDeliveries, DueDelivery, DueRequest, EndpointKey,
    },
};
use uuid::Uuid;

use super::{PgWebhookQueue, columns, key};
use crate::shared::{
    database::connection::Connection,
    error::corrupt,
    query::{row::row, sql::sql},
    traces::stored_trace,
};

row! {
    struct EndpointRow {
        organization_id: Uuid,
        id: Uuid,
        url: String,
        secret: String,
        previous_secret: Option<String>,
        previous_secret_until: Option<DateTime<Utc>>,
        failing_since: Option<DateTime<Utc>>,
        notified_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    }
}

row! {
    struct DueRow {
        organization_id: Uuid,
        endpoint_id: Uuid,
        /// Event.
        id: Uuid,
        due_at: DateTime<Utc>,
        attempts: i16,
    }
}

row! {
    struct EventRow {
        organization_id: Id<Organization>,
        id: Uuid,
        event: String,
        subject_id: Uuid,
        data: String,
        created_at: DateTime<Utc>,
        trace: Option<String>,
    }
}

/// Event, with the span of the message that it reports on.
type TracedEvent = (Arc<OutboundEvent>, Option<TraceContext>);

/// Partial result of a request.
struct Reading {
    endpoint: CalledEndpoint,
    now: DateTime<Utc>,
    first: Option<DateTime<Utc>>,
    rows: usize,
    /// Events, with the numbers of earlier attempts and the times since which they are due.
    due: Vec<(Uuid, u16, DateTime<Utc>)>,
}

impl PgWebhookQueue {
    /// Reads the due deliveries of endpoints. Those in flight come first in this order, and are
    /// skipped. The bodies are read of new ones alone.
    pub(super) async fn read_due(
        &self,
        requests: &[DueRequest],
    ) -> Result<Vec<DueDeliveries>, StoreError> {
        let mut session = self.store.session().await?;
        let conn = session.conn();
        let mut readings = self.endpoints(conn, requests).await?;
        let held: Vec<&DueRequest> = requests
            .iter()
            .filter(|request| request.wanted > 0 && readings.contains_key(&request.key))
            .collect();
        if !held.is_empty() {
            let rows = due(conn, &held).await?;
            sort(rows, &held, &mut readings);
        }
        let events = events(conn, &readings).await?;
        let gone = lost(&readings, &events);
        if !gone.is_empty() {
            give_up(conn, &gone).await?;
        }
        Ok(requests.iter().map(|request| answer(request, &mut readings, &events)).collect())
    }

    async fn endpoints(
        &self,
        conn: &mut Connection,
        requests: &[DueRequest],
    ) -> Result<HashMap<EndpointKey, Reading>, StoreError> {
        let keys: Vec<EndpointKey> = requests.iter().map(|request| request.key).collect();
        let (organizations, endpoints) = columns(&keys);
        let query = sql!(ENDPOINTS, organizations, endpoints, lease = self.lease.0);
        let rows: Vec<EndpointRow> = query.rows(conn).await?;
        Ok(rows.into_iter().map(reading).collect())
    }
}

fn reading(row: EndpointRow) -> (EndpointKey, Reading) {
    let previous_secret = row
        .previous_secret
        .zip(row.previous_secret_until)
        .map(|(secret, until)| PreviousSecret { secret: WebhookSecret::stored(secret), until });
    let endpoint = CalledEndpoint {
        url: row.url,
        secret: WebhookSecret::stored(row.secret),
        previous_secret,
        failing: row.failing_since.map(|since| Failing { since, notified_at: row.notified_at }),
    };
    let reading = Reading { endpoint, now: row.now, first: None, rows: 0, due: Vec::new() };
    (key(row.organization_id, row.id), reading)
}

async fn due(conn: &mut Connection, requests: &[&DueRequest]) -> Result<Vec<DueRow>, StoreError> {
    let keys: Vec<EndpointKey> = requests.iter().map(|request| request.key).collect();
    let (organizations, endpoints) = columns(&keys);
    let since: Vec<Option<DateTime<Utc>>> = requests.iter().map(|request| request.since).collect();
    let limits: Vec<i64> = requests.iter().map(|request| limit(request)).collect();
    sql!(DUE, organizations, endpoints, since, limits).rows(conn).await
}

fn limit(request: &DueRequest) -> i64 {
    i64::try_from(request.wanted + request.in_flight.len()).unwrap_or(i64::MAX)
}

/// Skips the deliveries in flight.
fn sort(rows: Vec<DueRow>, requests: &[&DueRequest], readings: &mut HashMap<EndpointKey, Reading>) {
    let in_flight: HashMap<EndpointKey, HashSet<Uuid>> = requests
        .iter()
        .map(|request| (request.key, request.in_flight.iter().map(|id| id.uuid()).collect()))
        .collect();
    for DueRow { organization_id, endpoint_id, id, due_at, attempts } in rows {
        let key = key(organization_id, endpoint_id);
        let Some(reading) = readings.get_mut(&key) else { continue };
        reading.first.get_or_insert(due_at);
        reading.rows += 1;
        if !in_flight.get(&key).is_some_and(|in_flight| in_flight.contains(&id)) {
            reading.due.push((id, u16::try_from(attempts).unwrap_or_default(), due_at));
        }
    }
}

/// Returns the events of all due deliveries. One that is due to several endpoints is read once.
async fn events(
    conn: &mut Connection,
    readings: &HashMap<EndpointKey, Reading>,
) -> Result<HashMap<Uuid, TracedEvent>, StoreError> {
    let wanted: HashSet<(Uuid, Uuid)> = readings
        .iter()
        .flat_map(|(key, reading)| {
            reading.due.iter().map(|(id, ..)| (key.organization.uuid(), *id))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let (organizations, ids): (Vec<Uuid>, Vec<Uuid>) = wanted.into_iter().unzip();
    let rows: Vec<EventRow> = sql!(EVENTS, organizations, ids).rows(conn).await?;
    let traced = |row: EventRow| {
        let (id, trace) = (row.id, stored_trace(row.trace.as_deref()));
        Ok::<_, StoreError>((id, (Arc::new(event(row)?), trace)))
    };
    rows.into_iter().map(traced).collect()
}

fn event(row: EventRow) -> Result<OutboundEvent, StoreError> {
    Ok(OutboundEvent {
        id: Id::of(row.id),
        organization: row.organization_id,
        event: row.event.parse().map_err(|_| corrupt("outbound_events", row.id))?,
        subject: row.subject_id,
        data: row.data,
        at: row.created_at,
    })
}

/// Returns the deliveries whose event is gone, since both are dropped by the month.
fn lost(
    readings: &HashMap<EndpointKey, Reading>,
    events: &HashMap<Uuid, TracedEvent>,
) -> Vec<(EndpointKey, Uuid)> {
    let due = readings
        .iter()
        .flat_map(|(key, reading)| reading.due.iter().map(move |(id, ..)| (*key, *id)));
    due.filter(|(_, id)| !events.contains_key(id)).collect()
}

async fn give_up(conn: &mut Connection, lost: &[(EndpointKey, Uuid)]) -> Result<(), StoreError> {
    let keys: Vec<EndpointKey> = lost.iter().map(|(key, _)| *key).collect();
    let (organizations, endpoints) = columns(&keys);
    let ids: Vec<Uuid> = lost.iter().map(|(_, id)| *id).collect();
    sql!(GIVE_UP, organizations, endpoints, ids).execute(conn).await?;
    Ok(())
}

fn answer(
    request: &DueRequest,
    readings: &mut HashMap<EndpointKey, Reading>,
    events: &HashMap<Uuid, TracedEvent>,
) -> DueDeliveries {
    let Some(reading) = readings.remove(&request.key) else {
        return DueDeliveries {
            key: request.key,
            endpoint: None,
            due: Vec::new(),
            has_more: false,
            none_before: DateTime::UNIX_EPOCH,
        };
    };
    let due = reading.due.into_iter().filter_map(|(id, attempts, due_at)| {
        let (event, trace) = events.get(&id)?;
        Some(DueDelivery { event: Arc::clone(event), attempts, due_at, trace: *trace })
    });
    DueDeliveries {
        key: request.key,
        endpoint: Some(reading.endpoint),
        due: due.collect(),
        has_more: i64::try_from(reading.rows).is_ok_and(|rows| rows >= limit(request)),
        none_before: reading.first.unwrap_or(reading.now),
    }
}

const ENDPOINTS: &str = "\
    SELECT endpoint.organization_id, endpoint.id, endpoint.url, endpoint.secret, \
        endpoint.previous_secret, endpoint.previous_secret_until, endpoint.failing_since, \
        endpoint.notified_at, now() \
    FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[]) AS asked (organization_id, id) \
    JOIN webhook_endpoints endpoint \
        ON endpoint.organization_id = ANY(ARRAY[asked.organization_id]) \
            AND endpoint.id = ANY(ARRAY[asked.id]) \
    WHERE endpoint.lease = {lease} AND endpoint.is_active";

const DUE: &str = "\
    SELECT asked.organization_id, asked.endpoint_id, due.id, due.due_at, due.attempts \
    FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[], {since}::timestamptz[], \
            {limits}::bigint[]) AS asked (organization_id, endpoint_id, since, wanted) \
    CROSS JOIN LATERAL ( \
        SELECT delivery.id, delivery.due_at, delivery.attempts FROM webhook_deliveries delivery \
        WHERE delivery.organization_id = asked.organization_id \
            AND delivery.endpoint_id = asked.endpoint_id \
            AND delivery.due_at >= coalesce(asked.since, '-infinity') \
            AND delivery.due_at <= now() \
        ORDER BY delivery.due_at, delivery.id LIMIT asked.wanted) AS due";

/// The limit leaves only one plan: each event by its key.
const EVENTS: &str = "\
    SELECT event.organization_id, event.id, event.event, event.subject_id, event.data, \
        event.created_at, event.trace \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[]) AS asked (organization_id, id) \
    CROSS JOIN LATERAL ( \
        SELECT published.* FROM outbound_events published \
        WHERE published.organization_id = asked.organization_id AND published.id = asked.id LIMIT 1) AS event";

const GIVE_UP: &str = "\
    UPDATE webhook_deliveries delivery SET status = 'FAILED', due_at = NULL \
    FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[], {ids}::uuid[]) \
        AS lost (organization_id, endpoint_id, id) \
    WHERE delivery.organization_id = ANY(ARRAY[lost.organization_id]) \
        AND delivery.endpoint_id = lost.endpoint_id AND delivery.id = lost.id";
