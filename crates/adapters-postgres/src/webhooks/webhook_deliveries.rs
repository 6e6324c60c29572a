//! Records of deliveries to webhook endpoints, their repetition and their end.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::{
        id::Id,
        listed_text::LISTED_TEXT_READ,
        page::{MOST_FOUND, Page, Paged},
        webhook_event::WebhookEvent,
    },
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{DeliveryRecord, DeliveryRecordFilter, DeliveryRecordStatus, WebhookEndpoint},
    },
};
use ports::{shared::store::StoreError, webhooks::webhook_endpoints::DeliveryRecordRepository};
use uuid::Uuid;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::corrupt,
    query::{
        row::row,
        search::{Found, one_more},
        sql::sql,
    },
};

/// Maximum number of the newest deliveries searched for those of a status or an event.
const LOOK: i64 = 20_000;

row! {
    struct RecordRow {
        id: Uuid,
        event: String,
        subject_id: Uuid,
        data: String,
        created_at: DateTime<Utc>,
        status: String,
        attempts: i16,
        attempted_at: Option<DateTime<Utc>>,
        status_code: Option<i16>,
        failure: Option<String>,
        took_millis: Option<i32>,
        due_at: Option<DateTime<Utc>>,
    }
}

row! {
    /// Newest deliveries of a filter, and the number of those that were looked at.
    struct NewestRow {
        ids: Vec<Uuid>,
        looked_at: i64,
    }
}

#[async_trait]
impl DeliveryRecordRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        filter: &DeliveryRecordFilter,
        page: Page,
    ) -> Result<Paged<DeliveryRecord>, StoreError> {
        let mut session = self.session().await?;
        let found = session.find_records(organization, endpoint, filter).await?;
        let total = u64::try_from(found.ids.len()).unwrap_or(u64::MAX);
        let items = session.records(organization, endpoint, &page.cut(found.ids)).await?;
        Ok(Paged { items, page, total, is_lower_bound: found.is_lower_bound })
    }

    async fn find_record(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        id: Id<OutboundEvent>,
    ) -> Result<Option<DeliveryRecord>, StoreError> {
        let mut session = self.session().await?;
        Ok(session.records(organization, endpoint, &[id.uuid()]).await?.pop())
    }

    async fn retry(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        id: Id<OutboundEvent>,
        since: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let retry = sql!(
            "UPDATE webhook_deliveries SET status = 'PENDING', due_at = now() \
             WHERE organization_id = {organization} AND endpoint_id = {endpoint} AND id = {id} \
                AND id >= {first}",
            organization,
            endpoint,
            id,
            first = Id::<OutboundEvent>::floor(since),
        );
        Ok(retry.execute(self.session().await?.conn()).await? > 0)
    }

    async fn recover(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        since: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let recover = sql!(
            RECOVER,
            organization,
            endpoint,
            first = Id::<OutboundEvent>::floor(since),
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        recover.execute(self.session().await?.conn()).await
    }

    async fn end_pending(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let end = sql!(END_PENDING, organization, endpoint, most);
        end.execute(self.session().await?.conn()).await
    }
}

impl PgSession {
    /// Returns the identifiers of the deliveries that match a filter, newest first.
    async fn find_records(
        &mut self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        filter: &DeliveryRecordFilter,
    ) -> Result<Found, StoreError> {
        let only_failed = filter.status == Some(DeliveryRecordStatus::Failed);
        let is_sifted = filter.event.is_some() || filter.status.is_some() && !only_failed;
        let look = if is_sifted { LOOK } else { one_more(MOST_FOUND) };
        let newest = if only_failed {
            self.newest_failed(organization, endpoint, filter, look).await?
        } else {
            self.newest(organization, endpoint, filter, look).await?
        };
        let Some(NewestRow { ids, looked_at }) = newest else {
            return Ok(Found::of(Vec::new(), true));
        };
        Ok(Found::of(ids, !is_sifted || looked_at < look))
    }

    async fn newest(
        &mut self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        filter: &DeliveryRecordFilter,
        look: i64,
    ) -> Result<Option<NewestRow>, StoreError> {
        let (from, to) = bounds(filter);
        let newest = sql!(
            [LOOKED_AT, NEWEST_FIRST],
            organization,
            endpoint,
            from,
            to,
            look,
            statuses = statuses(filter),
            is_any_event = filter.event.is_none(),
            event = filter.event.map_or("", WebhookEvent::as_str),
            most = one_more(MOST_FOUND),
        );
        newest.row(self.conn()).await
    }

    /// Like [`newest`](Self::newest), of failed deliveries. Their index is used only if the status
    /// is in the text.
    async fn newest_failed(
        &mut self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        filter: &DeliveryRecordFilter,
        look: i64,
    ) -> Result<Option<NewestRow>, StoreError> {
        let (from, to) = bounds(filter);
        let newest = sql!(
            [LOOKED_AT, "AND status = 'FAILED' ", NEWEST_FIRST],
            organization,
            endpoint,
            from,
            to,
            look,
            statuses = statuses(filter),
            is_any_event = filter.event.is_none(),
            event = filter.event.map_or("", WebhookEvent::as_str),
            most = one_more(MOST_FOUND),
        );
        newest.row(self.conn()).await
    }

    /// Returns these deliveries, newest first.
    async fn records(
        &mut self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        ids: &[Uuid],
    ) -> Result<Vec<DeliveryRecord>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let length = i32::from(LISTED_TEXT_READ);
        let rows: Vec<RecordRow> =
            sql!(RECORDS, length, organization, endpoint, ids).rows(self.conn()).await?;
        let record = |row: RecordRow| {
            let id = row.id;
            read(organization, row).ok_or_else(|| corrupt("webhook_deliveries", id))
        };
        rows.into_iter().map(record).collect()
    }
}

/// Returns the identifiers from which, and before which, the events of a filter are.
fn bounds(filter: &DeliveryRecordFilter) -> (Uuid, Uuid) {
    let from = filter.from.map_or(Uuid::nil(), |from| Id::<OutboundEvent>::floor(from).uuid());
    let to = filter.to.map_or(Uuid::max(), |to| Id::<OutboundEvent>::floor(to).uuid());
    (from, to)
}

fn statuses(filter: &DeliveryRecordFilter) -> Vec<&'static str> {
    let statuses = DeliveryRecordStatus::ALL.into_iter();
    let statuses = statuses.filter(|status| filter.status.is_none_or(|wanted| wanted == *status));
    statuses.map(DeliveryRecordStatus::as_str).collect()
}

/// Converts the row; `None` if the columns are invalid.
fn read(organization: Id<Organization>, row: RecordRow) -> Option<DeliveryRecord> {
    Some(DeliveryRecord {
        event: OutboundEvent {
            id: row.id.into(),
            organization,
            event: row.event.parse().ok()?,
            subject: row.subject_id,
            data: row.data,
            at: row.created_at,
        },
        status: row.status.parse().ok()?,
        attempts: row.attempts.try_into().ok()?,
        attempted_at: row.attempted_at,
        status_code: row.status_code.map(u16::try_from).transpose().ok()?,
        failure: row.failure,
        took: row.took_millis.map(|millis| TimeDelta::milliseconds(millis.into())),
        due_at: row.due_at,
    })
}

const LOOKED_AT: &str = "\
    WITH newest AS MATERIALIZED ( \
        SELECT id, status FROM webhook_deliveries \
        WHERE organization_id = {organization} AND endpoint_id = {endpoint} \
            AND id >= {from} AND id < {to} ";
const NEWEST_FIRST: &str = "\
        ORDER BY id DESC LIMIT {look} \
    ) SELECT ARRAY( \
        SELECT id FROM newest \
        WHERE status = ANY({statuses}) AND ({is_any_event} OR EXISTS ( \
            SELECT FROM outbound_events event \
            WHERE event.organization_id = {organization} AND event.id = ANY(ARRAY[newest.id]) \
                AND event.event = {event})) \
        ORDER BY id DESC LIMIT {most}) AS ids, (SELECT count(*) FROM newest) AS looked_at";

/// A text within the data has no more characters than the data have bytes, so short data are
/// returned unchanged.
const RECORDS: &str = "\
    SELECT delivery.id, event.event, event.subject_id, \
        CASE WHEN octet_length(event.data) <= {length} THEN event.data \
            ELSE coalesce(jsonb_set(event.data::jsonb, ARRAY['body'], \
                to_jsonb(left(event.data::jsonb ->> 'body', {length})), false)::text, event.data) END AS data, \
        event.created_at, \
        delivery.status, delivery.attempts, delivery.attempted_at, delivery.status_code, \
        delivery.failure, delivery.took_millis, delivery.due_at \
    FROM webhook_deliveries delivery JOIN outbound_events event \
        ON event.organization_id = ANY(ARRAY[delivery.organization_id]) \
        AND event.id = ANY(ARRAY[delivery.id]) \
    WHERE delivery.organization_id = {organization} AND delivery.endpoint_id = {endpoint} \
        AND delivery.id = ANY({ids}) \
    ORDER BY delivery.id DESC";

/// All become due at the same time, so they are sent in the order of their identifiers. The changed
/// rows are bound as an array: a join would compare them with every delivery.
const RECOVER: &str = "\
    UPDATE webhook_deliveries SET status = 'PENDING', due_at = now(), attempts = 0 \
    WHERE organization_id = {organization} AND endpoint_id = {endpoint} AND status = 'FAILED' AND id = ANY(ARRAY( \
        SELECT id FROM webhook_deliveries \
        WHERE organization_id = {organization} AND endpoint_id = {endpoint} AND id >= {first} AND status = 'FAILED' \
        ORDER BY id LIMIT {most})) \
    AND EXISTS (SELECT FROM webhook_endpoints endpoint \
        WHERE endpoint.organization_id = {organization} AND endpoint.id = {endpoint} AND endpoint.is_active)";

const END_PENDING: &str = "\
    UPDATE webhook_deliveries SET status = 'FAILED', due_at = NULL \
    WHERE organization_id = {organization} AND endpoint_id = {endpoint} AND status = 'PENDING' AND id = ANY(ARRAY( \
        SELECT id FROM webhook_deliveries \
        WHERE organization_id = {organization} AND endpoint_id = {endpoint} AND due_at IS NOT NULL LIMIT {most})) \
    AND EXISTS (SELECT FROM webhook_endpoints endpoint \
        WHERE endpoint.organization_id = {organization} AND endpoint.id = {endpoint} AND NOT endpoint.is_active)";
