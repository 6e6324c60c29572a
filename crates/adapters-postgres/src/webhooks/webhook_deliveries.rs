//! Records of deliveries to webhook endpoints, their repetition and their end.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_types::{
    Array, BigInt, Bool, Int2, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
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
    error::{corrupt, store_error},
    query::{
        run_query::RunQueryDsl,
        search::{Found, one_more},
        statement::Statement,
    },
};

/// Maximum number of the newest deliveries searched for those of a status or an event.
const LOOK: i64 = 20_000;

type RecordColumns = (
    SqlUuid,
    Text,
    SqlUuid,
    Text,
    Timestamptz,
    Text,
    Int2,
    Nullable<Timestamptz>,
    Nullable<Int2>,
    Nullable<Text>,
    Nullable<Int4>,
    Nullable<Timestamptz>,
);
type RecordRow = (
    Uuid,
    String,
    Uuid,
    String,
    DateTime<Utc>,
    String,
    i16,
    Option<DateTime<Utc>>,
    Option<i16>,
    Option<String>,
    Option<i32>,
    Option<DateTime<Utc>>,
);

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
        let retry = Statement::new(&[RETRY])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid())
            .bind::<SqlUuid, _>(id.uuid())
            .bind::<SqlUuid, _>(Id::<OutboundEvent>::floor(since).uuid());
        let retried = retry.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(retried > 0)
    }

    async fn recover(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        since: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let recover = Statement::new(&[RECOVER])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid())
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid())
            .bind::<SqlUuid, _>(Id::<OutboundEvent>::floor(since).uuid())
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid());
        recover.execute(self.session().await?.conn()).await.map_err(store_error)
    }

    async fn end_pending(
        &self,
        organization: Id<Organization>,
        endpoint: Id<WebhookEndpoint>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let end = Statement::new(&[END_PENDING])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid())
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid())
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid());
        end.execute(self.session().await?.conn()).await.map_err(store_error)
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
        let (ids, looked_at) = if only_failed {
            let failed = Statement::<(Array<SqlUuid>, BigInt)>::returning(NEWEST_FAILED);
            bind_look(failed, organization, endpoint, filter, look).get_result(self.conn()).await
        } else {
            let newest = Statement::<(Array<SqlUuid>, BigInt)>::returning(NEWEST);
            bind_look(newest, organization, endpoint, filter, look).get_result(self.conn()).await
        }
        .map_err(store_error)?;
        let (ids, looked_at): (Vec<Uuid>, i64) = (ids, looked_at);
        Ok(Found::of(ids, !is_sifted || looked_at < look))
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
        let query = Statement::<RecordColumns>::returning(&[RECORDS])
            .bind::<Int4, _>(i32::from(LISTED_TEXT_READ))
            .bind::<Int4, _>(i32::from(LISTED_TEXT_READ))
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(endpoint.uuid())
            .bind::<Array<SqlUuid>, _>(ids);
        let rows: Vec<RecordRow> = query.load(self.conn()).await.map_err(store_error)?;
        let record = |row: RecordRow| {
            let id = row.0;
            read(organization, row).ok_or_else(|| corrupt("webhook_deliveries", id))
        };
        rows.into_iter().map(record).collect()
    }
}

fn bind_look<'f>(
    statement: Statement<'f, (Array<SqlUuid>, BigInt)>,
    organization: Id<Organization>,
    endpoint: Id<WebhookEndpoint>,
    filter: &DeliveryRecordFilter,
    look: i64,
) -> Statement<'f, (Array<SqlUuid>, BigInt)> {
    let from = filter.from.map_or(Uuid::nil(), |from| Id::<OutboundEvent>::floor(from).uuid());
    let to = filter.to.map_or(Uuid::max(), |to| Id::<OutboundEvent>::floor(to).uuid());
    let statuses = DeliveryRecordStatus::ALL.into_iter();
    let statuses = statuses.filter(|status| filter.status.is_none_or(|wanted| wanted == *status));
    let event = filter.event.map_or("", WebhookEvent::as_str);
    statement
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<SqlUuid, _>(endpoint.uuid())
        .bind::<SqlUuid, _>(from)
        .bind::<SqlUuid, _>(to)
        .bind::<BigInt, _>(look)
        .bind::<Array<Text>, _>(statuses.map(DeliveryRecordStatus::as_str).collect::<Vec<_>>())
        .bind::<Bool, _>(filter.event.is_none())
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Text, _>(event)
        .bind::<BigInt, _>(one_more(MOST_FOUND))
}

/// Converts the row; `None` if the columns are invalid.
fn read(organization: Id<Organization>, row: RecordRow) -> Option<DeliveryRecord> {
    let (id, event, subject, data, at, status, attempts, attempted_at, code, failure, took, due_at) =
        row;
    Some(DeliveryRecord {
        event: OutboundEvent {
            id: id.into(),
            organization,
            event: event.parse().ok()?,
            subject,
            data,
            at,
        },
        status: status.parse().ok()?,
        attempts: attempts.try_into().ok()?,
        attempted_at,
        status_code: code.map(u16::try_from).transpose().ok()?,
        failure,
        took: took.map(|millis| TimeDelta::milliseconds(millis.into())),
        due_at,
    })
}

const NEWEST: &[&str] = &[LOOKED_AT, NEWEST_FIRST];

/// The index on failed deliveries is used only if their status is in the text.
const NEWEST_FAILED: &[&str] = &[LOOKED_AT, "AND status = 'FAILED' ", NEWEST_FIRST];

const LOOKED_AT: &str = "\
    WITH newest AS MATERIALIZED ( \
        SELECT id, status FROM webhook_deliveries \
        WHERE organization_id = ? AND endpoint_id = ? AND id >= ? AND id < ? ";
const NEWEST_FIRST: &str = "\
        ORDER BY id DESC LIMIT ? \
    ) SELECT ARRAY( \
        SELECT id FROM newest \
        WHERE status = ANY(?) AND (? OR EXISTS ( \
            SELECT FROM outbound_events event \
            WHERE event.organization_id = ? AND event.id = ANY(ARRAY[newest.id]) AND event.event = ?)) \
        ORDER BY id DESC LIMIT ?), (SELECT count(*) FROM newest)";

/// A text within the data has no more characters than the data have bytes, so short data are
/// returned unchanged.
const RECORDS: &str = "\
    SELECT delivery.id, event.event, event.subject_id, \
        CASE WHEN octet_length(event.data) <= ? THEN event.data \
            ELSE coalesce(jsonb_set(event.data::jsonb, '{body}', \
                to_jsonb(left(event.data::jsonb ->> 'body', ?)), false)::text, event.data) END, \
        event.created_at, \
        delivery.status, delivery.attempts, delivery.attempted_at, delivery.status_code, \
        delivery.failure, delivery.took_millis, delivery.due_at \
    FROM webhook_deliveries delivery JOIN outbound_events event \
        ON event.organization_id = ANY(ARRAY[delivery.organization_id]) \
        AND event.id = ANY(ARRAY[delivery.id]) \
    WHERE delivery.organization_id = ? AND delivery.endpoint_id = ? AND delivery.id = ANY(?) \
    ORDER BY delivery.id DESC";

const RETRY: &str = "\
    UPDATE webhook_deliveries SET status = 'PENDING', due_at = now() \
    WHERE organization_id = ? AND endpoint_id = ? AND id = ? AND id >= ?";

/// All become due at the same time, so they are sent in the order of their identifiers. The changed
/// rows are bound as an array: a join would compare them with every delivery.
const RECOVER: &str = "\
    UPDATE webhook_deliveries SET status = 'PENDING', due_at = now(), attempts = 0 \
    WHERE organization_id = ? AND endpoint_id = ? AND status = 'FAILED' AND id = ANY(ARRAY( \
        SELECT id FROM webhook_deliveries \
        WHERE organization_id = ? AND endpoint_id = ? AND id >= ? AND status = 'FAILED' \
        ORDER BY id LIMIT ?)) \
    AND EXISTS (SELECT FROM webhook_endpoints endpoint \
        WHERE endpoint.organization_id = ? AND endpoint.id = ? AND endpoint.is_active)";

const END_PENDING: &str = "\
    UPDATE webhook_deliveries SET status = 'FAILED', due_at = NULL \
    WHERE organization_id = ? AND endpoint_id = ? AND status = 'PENDING' AND id = ANY(ARRAY( \
        SELECT id FROM webhook_deliveries \
        WHERE organization_id = ? AND endpoint_id = ? AND due_at IS NOT NULL LIMIT ?)) \
    AND EXISTS (SELECT FROM webhook_endpoints endpoint \
        WHERE endpoint.organization_id = ? AND endpoint.id = ? AND NOT endpoint.is_active)";
