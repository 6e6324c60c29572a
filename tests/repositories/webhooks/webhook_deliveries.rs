//! Records of many deliveries to webhook endpoints.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::{
        id::Id,
        page::{Page, Paged},
        webhook_event::WebhookEvent,
    },
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            DeliveryRecord, DeliveryRecordFilter, DeliveryRecordStatus, MAX_ACTIVE_ENDPOINTS,
            WebhookEndpoint, WebhookEndpointRequest, WebhookEndpointUpdate, WebhookSecret,
        },
    },
};
use futures_util::future::{self, join_all};
use ports::webhooks::webhook_endpoints::{
    DeliveryRecordRepository, EndpointWritten, WebhookEndpointRepository,
};

use crate::{World, now};

impl World {
    fn webhook_endpoints(&self) -> &dyn WebhookEndpointRepository {
        &self.store
    }

    fn delivery_records(&self) -> &dyn DeliveryRecordRepository {
        &self.store
    }

    async fn webhook_endpoint(&self, organization: Id<Organization>) -> WebhookEndpoint {
        let endpoint = new_endpoint(organization);
        let written = self.webhook_endpoints().insert(&endpoint).await.unwrap();
        assert_eq!(written, EndpointWritten::Done(endpoint.clone()));
        endpoint
    }

    /// Publishes events to an endpoint, one a millisecond up to `last`, with `set` as their
    /// outcome.
    async fn publish(
        &self,
        endpoint: &WebhookEndpoint,
        count: u32,
        last: DateTime<Utc>,
        set: &str,
    ) {
        let (organization, id) = (endpoint.organization, endpoint.id);
        let last = last.to_rfc3339();
        let statement = format!(
            "WITH told AS ( \
                INSERT INTO outbound_events \
                    (organization_id, id, event, subject_id, data, created_at) \
                SELECT '{organization}', uuid_v7_in(at, '{organization}'), \
                    CASE number % 10 WHEN 0 THEN 'contact.opted_out' \
                        ELSE 'message.status.updated' END, \
                    uuid_v7_in(at, '{organization}'), '{{}}', at \
                FROM (SELECT number, '{last}'::timestamptz - number * interval '1 ms' AS at \
                    FROM generate_series(0, {count} - 1) AS number) AS happened RETURNING id) \
             INSERT INTO webhook_deliveries (organization_id, endpoint_id, id) \
             SELECT '{organization}', '{id}', id FROM told; \
             UPDATE webhook_deliveries SET {set} \
             WHERE organization_id = '{organization}' AND endpoint_id = '{id}' AND attempts = 0"
        );
        self.sql(&statement).await;
    }

    async fn deliveries_that(&self, endpoint: &WebhookEndpoint, condition: &str) -> i64 {
        let (organization, id) = (endpoint.organization, endpoint.id);
        let query = format!(
            "SELECT count(*) FROM webhook_deliveries \
             WHERE organization_id = '{organization}' AND endpoint_id = '{id}' AND ({condition})"
        );
        self.client().await.query_one(&query, &[]).await.unwrap().get(0)
    }

    async fn records(
        &self,
        endpoint: &WebhookEndpoint,
        filter: DeliveryRecordFilter,
        number: i64,
    ) -> Paged<DeliveryRecord> {
        let page = Page::new(Some(number), Some(100)).unwrap();
        let (organization, id) = (endpoint.organization, endpoint.id);
        self.delivery_records().page(organization, id, &filter, page).await.unwrap()
    }

    async fn recover(
        &self,
        endpoint: &WebhookEndpoint,
        since: DateTime<Utc>,
        limit: usize,
    ) -> usize {
        let (organization, id) = (endpoint.organization, endpoint.id);
        self.delivery_records().recover(organization, id, since, limit).await.unwrap()
    }

    async fn end_pending(&self, endpoint: &WebhookEndpoint, limit: usize) -> usize {
        let (organization, id) = (endpoint.organization, endpoint.id);
        self.delivery_records().end_pending(organization, id, limit).await.unwrap()
    }

    async fn switch(&self, endpoint: &WebhookEndpoint, is_active: bool) -> EndpointWritten {
        let update = WebhookEndpointUpdate { is_active: Some(is_active), ..Default::default() };
        let (organization, id) = (endpoint.organization, endpoint.id);
        self.webhook_endpoints().update(organization, id, &update, now()).await.unwrap()
    }
}

fn new_endpoint(organization: Id<Organization>) -> WebhookEndpoint {
    let request = WebhookEndpointRequest { url: "https://kente.example".to_owned(), events: None };
    request.endpoint(organization, WebhookSecret::new(&[7; 32]), now())
}

const FAILED: &str = "status = 'FAILED', due_at = NULL, attempts = 8, failure = 'TIMED_OUT'";
const DELIVERED: &str = "status = 'DELIVERED', due_at = NULL, attempts = 1, status_code = 204";

fn of_status(status: DeliveryRecordStatus) -> DeliveryRecordFilter {
    DeliveryRecordFilter { status: Some(status), ..DeliveryRecordFilter::default() }
}

#[tokio::test]
async fn deliveries_are_counted_to_a_thousand_and_filtered_by_time() {
    let world = World::new().await;
    let endpoint = world.webhook_endpoint(world.organization().await.id).await;
    let last = now() - TimeDelta::hours(1);
    world.publish(&endpoint, 1_000, last, DELIVERED).await;
    let all = DeliveryRecordFilter::default();

    let exact = world.records(&endpoint, all, 10).await;
    world.publish(&endpoint, 1, last - TimeDelta::hours(1), DELIVERED).await;
    let bounded = world.records(&endpoint, all, 1).await;
    let to = Some(last - TimeDelta::milliseconds(999));
    let older = world.records(&endpoint, DeliveryRecordFilter { to, ..all }, 1).await;
    let from = Some(last);
    let newest = world.records(&endpoint, DeliveryRecordFilter { from, ..all }, 1).await;

    assert_eq!((exact.items.len(), exact.total, exact.is_lower_bound), (100, 1_000, false));
    assert_eq!((bounded.items.len(), bounded.total, bounded.is_lower_bound), (100, 1_000, true));
    assert!(bounded.items.is_sorted_by(|one, next| one.event.id > next.event.id));
    assert_eq!((older.items.len(), older.total, older.is_lower_bound), (1, 1, false));
    assert_eq!((newest.items.len(), newest.total), (1, 1));
    assert_eq!(newest.items[0].event.id, bounded.items[0].event.id);
}

#[tokio::test]
async fn filters_find_failed_deliveries_among_many_others() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let (endpoint, of_other) =
        (world.webhook_endpoint(own).await, world.webhook_endpoint(other).await);
    let last = now() - TimeDelta::hours(1);
    world.publish(&endpoint, 3, last - TimeDelta::days(20), FAILED).await;
    world.publish(&endpoint, 25_000, last, DELIVERED).await;
    world.publish(&of_other, 2, last, FAILED).await;
    let event = Some(WebhookEvent::ContactOptedOut);

    let failed = world.records(&endpoint, of_status(DeliveryRecordStatus::Failed), 1).await;
    let pending = world.records(&endpoint, of_status(DeliveryRecordStatus::Pending), 1).await;
    let filter = DeliveryRecordFilter { event, ..of_status(DeliveryRecordStatus::Failed) };
    let opt_outs = world.records(&endpoint, filter, 1).await;

    assert_eq!((failed.items.len(), failed.total, failed.is_lower_bound), (3, 3, false));
    assert_eq!(failed.items[0].failure.as_deref(), Some("TIMED_OUT"));
    assert_eq!((pending.total, pending.is_lower_bound), (0, true), "not all were looked at");
    assert_eq!((opt_outs.items.len(), opt_outs.total, opt_outs.is_lower_bound), (1, 1, false));
    assert_eq!(opt_outs.items[0].event.event, WebhookEvent::ContactOptedOut);
}

#[tokio::test]
async fn only_failed_deliveries_are_recovered_oldest_first() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let endpoint = world.webhook_endpoint(organization).await;
    let neighbour = world.webhook_endpoint(organization).await;
    let last = now() - TimeDelta::hours(1);
    let since = last - TimeDelta::minutes(30);
    world.publish(&endpoint, 5, since - TimeDelta::minutes(1), FAILED).await;
    world.publish(&endpoint, 12_000, last, FAILED).await;
    world.publish(&endpoint, 100, last - TimeDelta::minutes(5), DELIVERED).await;
    world.publish(&neighbour, 10, last, FAILED).await;

    assert_eq!(world.recover(&endpoint, since, 5_000).await, 5_000);
    let query = format!(
        "SELECT count(*) FROM (SELECT status FROM webhook_deliveries \
            WHERE endpoint_id = '{}' AND id >= uuid_floor('{}') AND status <> 'DELIVERED' \
            ORDER BY id LIMIT 5000) AS oldest WHERE status = 'PENDING'",
        endpoint.id,
        since.to_rfc3339(),
    );
    let oldest: i64 = world.client().await.query_one(&query, &[]).await.unwrap().get(0);
    assert_eq!(oldest, 5_000, "the oldest come first");
    assert_eq!(world.recover(&endpoint, since, 5_000).await, 5_000);
    assert_eq!(world.recover(&endpoint, since, 5_000).await, 2_000);
    assert_eq!(world.recover(&endpoint, since, 5_000).await, 0);

    let anew = "status = 'PENDING' AND due_at <= now() AND attempts = 0";
    assert_eq!(world.deliveries_that(&endpoint, anew).await, 12_000);
    assert_eq!(world.deliveries_that(&endpoint, "status = 'FAILED'").await, 5);
    assert_eq!(world.deliveries_that(&endpoint, "status = 'DELIVERED'").await, 100);
    assert_eq!(world.deliveries_that(&neighbour, "status = 'FAILED'").await, 10);
}

#[tokio::test]
async fn a_delivery_is_found_at_its_own_endpoint_only() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let (endpoint, neighbour) =
        (world.webhook_endpoint(organization).await, world.webhook_endpoint(organization).await);
    world.publish(&endpoint, 2, now() - TimeDelta::hours(1), FAILED).await;
    let all = world.records(&endpoint, DeliveryRecordFilter::default(), 1).await.items;
    let find = async |endpoint: &WebhookEndpoint, id: Id<OutboundEvent>| {
        let records = world.delivery_records();
        records.find_record(endpoint.organization, endpoint.id, id).await.unwrap()
    };

    for record in &all {
        assert_eq!(find(&endpoint, record.event.id).await.as_ref(), Some(record));
        assert_eq!(find(&neighbour, record.event.id).await, None);
    }
    assert_eq!(find(&endpoint, Id::new_in(now(), organization)).await, None);
}

#[tokio::test]
async fn any_delivery_can_be_retried_unless_it_is_too_old() {
    let world = World::new().await;
    let endpoint = world.webhook_endpoint(world.organization().await.id).await;
    let last = now() - TimeDelta::days(1);
    world.publish(&endpoint, 1, last, DELIVERED).await;
    world.publish(&endpoint, 1, now() - TimeDelta::days(31), DELIVERED).await;
    let all = world.records(&endpoint, DeliveryRecordFilter::default(), 1).await.items;
    let since = now() - TimeDelta::days(30);
    let retry = async |id: Id<OutboundEvent>| {
        let (organization, endpoint) = (endpoint.organization, endpoint.id);
        world.delivery_records().retry(organization, endpoint, id, since).await.unwrap()
    };

    assert!(retry(all[0].event.id).await);
    assert!(!retry(all[1].event.id).await);
    assert!(!retry(Id::new_in(now(), endpoint.organization)).await);

    let again = "status = 'PENDING' AND due_at <= now() AND attempts = 1";
    assert_eq!(world.deliveries_that(&endpoint, again).await, 1);
}

#[tokio::test]
async fn deactivation_ends_pending_deliveries_that_can_be_recovered() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let endpoint = world.webhook_endpoint(organization).await;
    let last = now() - TimeDelta::hours(1);
    world.publish(&endpoint, 12, last, DELIVERED).await;
    world.publish(&endpoint, 6_000, last, "attempts = 1").await;
    let ended = "status = 'FAILED' AND due_at IS NULL";

    assert_eq!(world.end_pending(&endpoint, 5_000).await, 0, "it is active");
    world.switch(&endpoint, false).await;
    assert_eq!(world.recover(&endpoint, last - TimeDelta::hours(1), 5_000).await, 0);
    assert_eq!(world.end_pending(&endpoint, 500).await, 500);
    assert_eq!(world.deliveries_that(&endpoint, ended).await, 500);
    assert_eq!(world.end_pending(&endpoint, 10_000).await, 5_500);
    assert_eq!(world.end_pending(&endpoint, 10_000).await, 0);
    assert_eq!(world.deliveries_that(&endpoint, ended).await, 6_000);
    assert_eq!(world.deliveries_that(&endpoint, "status = 'DELIVERED'").await, 12);

    world.switch(&endpoint, true).await;
    assert_eq!(world.recover(&endpoint, last - TimeDelta::hours(1), 10_000).await, 6_000);
}

#[tokio::test]
async fn the_limit_of_active_endpoints_holds_under_concurrency() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let off = world.webhook_endpoint(organization).await;
    world.switch(&off, false).await;
    for _ in 1..MAX_ACTIVE_ENDPOINTS {
        world.webhook_endpoint(organization).await;
    }
    let last = [new_endpoint(organization), new_endpoint(organization)];

    let making = join_all(last.iter().map(|endpoint| world.webhook_endpoints().insert(endpoint)));
    let (made, activated) = future::join(making, world.switch(&off, true)).await;

    let made = made.into_iter().map(Result::unwrap);
    let refused =
        made.chain([activated]).filter(|written| *written == EndpointWritten::TooManyActive);
    assert_eq!(refused.count(), 2);
    let known = world.webhook_endpoints().list(organization).await.unwrap();
    let active = known.iter().filter(|endpoint| endpoint.is_active);
    assert_eq!(active.count(), MAX_ACTIVE_ENDPOINTS);
}

#[tokio::test]
async fn the_two_newest_secrets_sign_after_rotations() {
    let world = World::new().await;
    let endpoint = world.webhook_endpoint(world.organization().await.id).await;
    let until = now() + TimeDelta::hours(24);
    let mut found = None;
    for byte in [8, 9] {
        let (organization, secret) = (endpoint.organization, WebhookSecret::new(&[byte; 32]));
        let rotated = world.webhook_endpoints();
        let rotated = rotated.rotate_secret(organization, endpoint.id, &secret, until).await;
        found = rotated.unwrap();
    }

    let found = found.unwrap();
    let [newest, previous] = [9, 8].map(|byte| WebhookSecret::new(&[byte; 32]));
    assert_eq!(found.secrets(now()), [newest.clone(), previous]);
    assert_eq!(found.secrets(until), [newest]);
    let organization = world.organization().await.id;
    let of_other = world.webhook_endpoints();
    let of_other = of_other.rotate_secret(organization, endpoint.id, &found.secret, until).await;
    assert_eq!(of_other.unwrap(), None);
}

#[tokio::test]
async fn reactivation_clears_failures_and_begins_a_second_later() {
    let world = World::new().await;
    let endpoint = world.webhook_endpoint(world.organization().await.id).await;
    let (id, condition) = (endpoint.id, "notified_at IS NULL AND failing_since IS NULL");
    world
        .sql(&format!(
            "UPDATE webhook_endpoints SET is_active = false, deactivation = 'FAILING', \
                failing_since = now(), notified_at = now(), begins_at = '2026-01-01' \
             WHERE id = '{id}'"
        ))
        .await;

    let EndpointWritten::Done(active) = world.switch(&endpoint, true).await else { panic!() };

    assert!(active.is_active && active.deactivation.is_none() && active.failing_since.is_none());
    let query = format!(
        "SELECT {condition} AND begins_at >= created_at + interval '1 second' \
         FROM webhook_endpoints WHERE id = '{id}'"
    );
    let is_new: bool = world.client().await.query_one(&query, &[]).await.unwrap().get(0);
    assert!(is_new);
}
