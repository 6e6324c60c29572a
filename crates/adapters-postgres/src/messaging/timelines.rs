//! Records that belong to the timelines of messages.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        message::{Message, Source},
        timeline::{ChainLink, EventDelivery},
    },
    outreach::trigger::{ChannelState, Trigger},
    shared::id::Id,
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    messaging::timelines::{Neighbours, TimelineRepository},
    outreach::events::TriggerRepository,
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::corrupt,
    query::{row::row, sql::sql},
};

/// Time after a change of a message's state within which its event is searched.
const EVENT_SPAN: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of events of the organization searched after each change.
const LOOK: i64 = 2_000;

row! {
    struct DeliveryRow {
        /// Event.
        id: Uuid,
        status: String,
        attempts: i16,
        at: DateTime<Utc>,
        /// HTTP status.
        status_code: Option<i16>,
        failure: Option<String>,
    }
}

#[async_trait]
impl TimelineRepository for PgStore {
    async fn neighbours(&self, message: &Message) -> Result<Neighbours, StoreError> {
        let Some(trigger) = message.source.and_then(Source::trigger) else {
            return Ok(Neighbours::default());
        };
        let trigger = TriggerRepository::find(self, message.organization, trigger).await?;
        Ok(trigger.map(|trigger| neighbours(&trigger, message.id)).unwrap_or_default())
    }

    async fn event_deliveries(&self, message: &Message) -> Result<Vec<EventDelivery>, StoreError> {
        let changes = changes(message);
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let find = sql!(
            DELIVERIES,
            since = changes.iter().map(|at| floor(*at)).collect::<Vec<_>>(),
            until = changes.iter().map(|at| floor(*at + EVENT_SPAN)).collect::<Vec<_>>(),
            organization = message.organization,
            most = LOOK,
            message = message.id,
        );
        let rows: Vec<DeliveryRow> = find.rows(self.session().await?.conn()).await?;
        rows.into_iter().map(delivery).collect()
    }
}

fn floor(at: DateTime<Utc>) -> Uuid {
    Id::<OutboundEvent>::floor(at).uuid()
}

/// Returns the neighbours of a message in the chain of a trigger.
fn neighbours(trigger: &Trigger, message: Id<Message>) -> Neighbours {
    let links = trigger.channels.iter().filter_map(|tried| match tried.state {
        ChannelState::Tried(message) => {
            Some(ChainLink { message, channel: tried.channel, at: message.time() })
        }
        ChannelState::Left | ChannelState::Skipped(_) => None,
    });
    let links: Vec<_> = links.collect();
    let Some(place) = links.iter().position(|link| link.message == message) else {
        return Neighbours::default();
    };
    let previous = place.checked_sub(1).and_then(|before| links.get(before)).copied();
    Neighbours { previous, next: links.get(place + 1).copied() }
}

/// Returns the times at which a message changed its state so that an event was published.
fn changes(message: &Message) -> Vec<DateTime<Utc>> {
    let delivery = &message.delivery;
    let times = [delivery.sent_at(), delivery.delivered_at(), delivery.failed_at()];
    times.into_iter().flatten().collect()
}

fn delivery(row: DeliveryRow) -> Result<EventDelivery, StoreError> {
    let id = row.id;
    read(row).ok_or_else(|| corrupt("webhook_deliveries", id))
}

/// Converts the row; `None` if the columns are invalid.
fn read(row: DeliveryRow) -> Option<EventDelivery> {
    Some(EventDelivery {
        at: row.at,
        status: row.status.parse().ok()?,
        attempts: row.attempts.try_into().ok()?,
        status_code: row.status_code.map(u16::try_from).transpose().ok()?,
        failure: row.failure,
    })
}

/// Events are found by their identifiers, hence by their time: an index of subjects would be written
/// for every event. Each delivery is found by its key: no join may read those of other events.
const DELIVERIES: &str = "\
    SELECT published.id, delivery.status, delivery.attempts, \
        coalesce(delivery.attempted_at, published.created_at) AS at, delivery.status_code, \
        delivery.failure \
    FROM ( \
        SELECT DISTINCT seen.id, seen.created_at \
        FROM UNNEST({since}::uuid[], {until}::uuid[]) AS span (since, until) \
        CROSS JOIN LATERAL ( \
            SELECT id, subject_id, created_at FROM outbound_events \
            WHERE organization_id = {organization} AND id >= span.since AND id < span.until \
            ORDER BY id LIMIT {most}) AS seen \
        WHERE seen.subject_id = {message}) AS published \
    JOIN webhook_endpoints endpoint ON endpoint.organization_id = {organization} \
    CROSS JOIN LATERAL ( \
        SELECT status, attempts, attempted_at, status_code, failure FROM webhook_deliveries \
        WHERE organization_id = {organization} AND endpoint_id = endpoint.id AND id = published.id LIMIT 1) \
        AS delivery \
    ORDER BY published.id, endpoint.id";
