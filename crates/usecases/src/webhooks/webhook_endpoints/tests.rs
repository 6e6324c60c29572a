//! The rules of webhook endpoints.

use std::sync::Mutex;

use chrono::TimeDelta;
use domain::{
    identity::organization::Role,
    shared::webhook_event::WebhookEvent,
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            CallOutcome, DELIVERIES_KEPT, DeliveryRecord, DeliveryRecordStatus, WebhookCall,
            WebhookCallResult,
        },
    },
};
use mockall::predicate::eq;
use ports::{
    shared::{
        mock::{
            MockDeliveryRecordRepository, MockEventViews, MockWebhookCaller,
            MockWebhookEndpointRepository, MockWebhookUrls, MockWebhookWakeup,
        },
        nobody::Nobody,
    },
    webhooks::calls::UrlRefused,
};
use tokio::sync::Notify;

use super::*;
use crate::shared::fixtures::{NOW, SECRET, clock, manual_clock, member, random, tenant};

fn request() -> WebhookEndpointRequest {
    WebhookEndpointRequest { url: "https://kente.example".into(), events: None }
}

fn endpoint() -> WebhookEndpoint {
    let id = "018bcfe5-6800-7000-8000-0000000000e1".parse().unwrap();
    let made = request().endpoint(tenant(), WebhookSecret::new(&SECRET), NOW);
    WebhookEndpoint { id, ..made }
}

/// Dependencies with `endpoint` as the only endpoint, and no other calls.
fn deps(endpoint: &WebhookEndpoint) -> WebhookEndpointsDeps {
    WebhookEndpointsDeps {
        endpoints: Arc::new(knowing(endpoint)),
        deliveries: Arc::new(MockDeliveryRecordRepository::new()),
        urls: Arc::new(MockWebhookUrls::new()),
        caller: Arc::new(MockWebhookCaller::new()),
        views: Arc::new(MockEventViews::new()),
        wakeup: Arc::new(waking()),
        change_broadcaster: Arc::new(Nobody),
        clock: clock(),
        random: random(),
    }
}

/// Workers that may be woken for the organization.
fn waking() -> MockWebhookWakeup {
    let mut wakeup = MockWebhookWakeup::new();
    wakeup.expect_wake().with(eq(tenant())).return_const(());
    wakeup
}

fn knowing(endpoint: &WebhookEndpoint) -> MockWebhookEndpointRepository {
    let mut endpoints = MockWebhookEndpointRepository::new();
    let found = endpoint.clone();
    endpoints
        .expect_find()
        .with(eq(tenant()), eq(endpoint.id))
        .returning(move |_, _| Ok(Some(found.clone())));
    endpoints
}

fn inactive() -> WebhookEndpoint {
    WebhookEndpoint { is_active: false, ..endpoint() }
}

fn owner() -> Caller {
    member(Role::Owner)
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().code()
}

/// Dependencies with a list of endpoints, and the result of a check of a URL.
fn having(
    listed: &[WebhookEndpoint],
    checked: Result<&'static str, UrlRefused>,
) -> WebhookEndpointsDeps {
    let (mut endpoints, listed) = (knowing(&endpoint()), listed.to_vec());
    endpoints.expect_list().with(eq(tenant())).returning(move |_| Ok(listed.clone()));
    endpoints.expect_find().returning(|_, _| Ok(None));
    let mut urls = MockWebhookUrls::new();
    let check = urls.expect_check().withf(|organization, _| *organization == tenant());
    check.returning(move |_, _| checked.map(str::to_owned));
    let (endpoints, urls) = (Arc::new(endpoints), Arc::new(urls));
    WebhookEndpointsDeps { endpoints, urls, ..deps(&endpoint()) }
}

#[tokio::test]
async fn checks_no_url_of_a_missing_endpoint_or_without_room() {
    let unchecked = || Arc::new(MockWebhookUrls::new());
    let deps = |listed: &[_]| WebhookEndpointsDeps {
        urls: unchecked(),
        ..having(listed, Err(UrlRefused::Invalid))
    };
    let unknown = "018bcfe5-6800-7000-8000-0000000000ff".parse().unwrap();
    let update = WebhookEndpointUpdate { url: Some(request().url), ..Default::default() };

    let endpoints = WebhookEndpoints::new(deps(&[]));
    let refused = endpoints.update(&owner(), unknown, update, Faults::default()).await;
    assert_eq!(code(refused), "NOT_FOUND");

    let endpoints = WebhookEndpoints::new(deps(&vec![endpoint(); MAX_ACTIVE_ENDPOINTS]));
    let refused = endpoints.create(&owner(), request(), Faults::default()).await;
    assert_eq!(code(refused), "WEBHOOK_ENDPOINT_LIMIT_REACHED");
}

#[tokio::test]
async fn too_many_url_checks_are_rate_limited() {
    let endpoints = WebhookEndpoints::new(having(&[], Err(UrlRefused::Busy)));
    let update = WebhookEndpointUpdate { url: Some(request().url), ..Default::default() };
    let made = endpoints.create(&owner(), request(), Faults::default()).await;
    assert_eq!(code(made), "RATE_LIMITED");
    let changed = endpoints.update(&owner(), endpoint().id, update, Faults::default()).await;
    assert_eq!(code(changed), "RATE_LIMITED");
}

/// A caller that keeps what it is given.
fn keeping_caller() -> (Arc<MockWebhookCaller>, Arc<Mutex<Vec<WebhookCall>>>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let mut caller = MockWebhookCaller::new();
    let calls = Arc::clone(&kept);
    caller.expect_call().returning(move |call| {
        calls.lock().unwrap().push(call.clone());
        let outcome = CallOutcome::Answered { status: 204, retry_after: None };
        WebhookCallResult { outcome, took: TimeDelta::milliseconds(3) }
    });
    (Arc::new(caller), kept)
}

#[tokio::test]
async fn a_test_is_an_ordinary_call_once_a_second() {
    let (caller, calls) = keeping_caller();
    let (clock, clock_time) = manual_clock();
    let mut views = MockEventViews::new();
    views.expect_delivery_log().returning(|message| format!("{{\"id\":\"{}\"}}", message.id));
    let deps = WebhookEndpointsDeps { caller, clock, views: Arc::new(views), ..deps(&endpoint()) };
    let endpoints = WebhookEndpoints::new(deps);
    let test =
        async |event| endpoints.test(&owner(), endpoint().id, event, Faults::default()).await;

    assert!(test(None).await.unwrap().outcome.is_success());
    *clock_time.lock().unwrap() = NOW + TimeDelta::milliseconds(999);
    let Err(Error::RateLimited(wait)) = test(None).await else { panic!("it waits a second") };
    assert_eq!(wait, TimeDelta::milliseconds(1));
    *clock_time.lock().unwrap() = NOW + TimeDelta::seconds(1);
    test(Some(WebhookEvent::CampaignCompleted)).await.unwrap();

    let calls = calls.lock().unwrap();
    let [first, second] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!(first.event, WebhookEvent::MessageStatusUpdated);
    assert_eq!(first.secrets, [WebhookSecret::new(&SECRET)]);
    assert_eq!((first.url.as_str(), first.at), ("https://kente.example", NOW));
    let body: serde_json::Value = serde_json::from_str(&first.body).unwrap();
    assert_eq!(
        (&body["id"], &body["event"]),
        (&first.id.as_str().into(), &"message.status.updated".into())
    );
    assert!(body["data"]["id"].is_string());
    let body: serde_json::Value = serde_json::from_str(&second.body).unwrap();
    assert_eq!(body["data"]["status"], "COMPLETED");
}

struct SlowCaller(Arc<Notify>);

#[async_trait::async_trait]
impl WebhookCaller for SlowCaller {
    async fn call(&self, _: &WebhookCall) -> WebhookCallResult {
        self.0.notified().await;
        let outcome = CallOutcome::Answered { status: 500, retry_after: None };
        WebhookCallResult { outcome, took: TimeDelta::seconds(9) }
    }
}

#[tokio::test]
async fn an_endpoint_has_one_test_at_a_time() {
    let answer = Arc::new(Notify::new());
    let (clock, clock_time) = manual_clock();
    let caller = Arc::new(SlowCaller(Arc::clone(&answer)));
    let endpoints =
        WebhookEndpoints::new(WebhookEndpointsDeps { caller, clock, ..deps(&endpoint()) });
    let event = Some(WebhookEvent::ContactOptedOut);
    let test = || {
        let (endpoints, id) = (endpoints.clone(), endpoint().id);
        async move { endpoints.test(&owner(), id, event, Faults::default()).await }
    };

    let first = tokio::spawn(test());
    tokio::task::yield_now().await;
    *clock_time.lock().unwrap() = NOW + TimeDelta::seconds(9);
    assert_eq!(code(test().await), "RATE_LIMITED");
    answer.notify_one();
    assert!(!first.await.unwrap().unwrap().outcome.is_success());
    answer.notify_one();
    test().await.unwrap();
}

#[tokio::test]
async fn a_delivery_is_shown_for_thirty_days() {
    for (age, is_shown) in
        [(DELIVERIES_KEPT, true), (DELIVERIES_KEPT + TimeDelta::milliseconds(1), false)]
    {
        let event = OutboundEvent {
            id: Id::new_in(NOW - age, tenant()),
            organization: tenant(),
            event: WebhookEvent::ContactOptedOut,
            subject: endpoint().id.uuid(),
            data: "{}".to_owned(),
            at: NOW - age,
        };
        let record = DeliveryRecord {
            status: DeliveryRecordStatus::Pending,
            attempts: 0,
            attempted_at: None,
            status_code: None,
            failure: None,
            took: None,
            due_at: None,
            event: event.clone(),
        };
        let mut deliveries = MockDeliveryRecordRepository::new();
        deliveries
            .expect_find_record()
            .with(eq(tenant()), eq(endpoint().id), eq(event.id))
            .return_once(move |_, _, _| Ok(Some(record)));
        let deliveries = Arc::new(deliveries);
        let deps = WebhookEndpointsDeps { deliveries, ..deps(&endpoint()) };

        let found = WebhookEndpoints::new(deps);
        let found = found.delivery(&owner(), endpoint().id, event.id).await;

        assert_eq!(found.is_ok(), is_shown, "{age}");
    }
}

#[tokio::test]
async fn the_workers_read_an_endpoint_again_after_a_rotation() {
    let mut endpoints = knowing(&endpoint());
    endpoints.expect_rotate_secret().returning(|_, _, _, _| Ok(Some(endpoint())));
    let mut wakeup = MockWebhookWakeup::new();
    wakeup.expect_wake().with(eq(tenant())).once().return_const(());
    let endpoints = WebhookEndpoints::new(WebhookEndpointsDeps {
        endpoints: Arc::new(endpoints),
        wakeup: Arc::new(wakeup),
        ..deps(&endpoint())
    });

    endpoints.rotate_secret(&owner(), endpoint().id).await.unwrap();
}

#[tokio::test]
async fn failed_deliveries_are_recovered_in_batches() {
    for (batches, expected) in [
        (vec![5_000, 5_000, 7], Recovered { deliveries: 10_007, has_more: false }),
        (vec![0], Recovered { deliveries: 0, has_more: false }),
        (vec![5_000; 20], Recovered { deliveries: 100_000, has_more: true }),
    ] {
        let wakes = batches.iter().filter(|batch| **batch > 0).count();
        let mut deliveries = MockDeliveryRecordRepository::new();
        let (times, mut batches) = (batches.len(), batches.into_iter());
        deliveries
            .expect_recover()
            .with(eq(tenant()), eq(endpoint().id), eq(NOW), eq(5_000))
            .times(times)
            .returning(move |_, _, _, _| Ok(batches.next().unwrap()));
        let mut wakeup = MockWebhookWakeup::new();
        wakeup.expect_wake().with(eq(tenant())).times(wakes).return_const(());
        let deps = WebhookEndpointsDeps {
            deliveries: Arc::new(deliveries),
            wakeup: Arc::new(wakeup),
            ..deps(&endpoint())
        };

        let endpoints = WebhookEndpoints::new(deps);
        let found = endpoints.recover(&owner(), endpoint().id, Some(NOW), Faults::default()).await;

        assert_eq!(found.unwrap(), expected);
    }
}

#[tokio::test]
async fn an_endpoint_is_activated_after_its_old_deliveries_end() {
    let mut deliveries = MockDeliveryRecordRepository::new();
    let mut left = 100_001_usize;
    deliveries.expect_end_pending().times(21).returning(move |_, _, limit| {
        let ended = left.min(limit);
        left -= ended;
        Ok(ended)
    });
    let mut endpoints = knowing(&inactive());
    let update = WebhookEndpointUpdate { is_active: Some(true), ..Default::default() };
    endpoints
        .expect_update()
        .with(eq(tenant()), eq(inactive().id), eq(update.clone()), eq(NOW))
        .once()
        .returning(|_, _, _, _| Ok(EndpointWritten::Done(endpoint())));
    let deps = WebhookEndpointsDeps {
        endpoints: Arc::new(endpoints),
        deliveries: Arc::new(deliveries),
        ..deps(&inactive())
    };
    let endpoints = WebhookEndpoints::new(deps);
    let activate = async || {
        let (update, none) = (update.clone(), Faults::default());
        endpoints.update(&owner(), inactive().id, update, none).await
    };

    assert_eq!(code(activate().await), "WEBHOOK_ENDPOINT_BUSY");
    assert!(activate().await.unwrap().is_active);
}
