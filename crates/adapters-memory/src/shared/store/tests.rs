//! Tests of features that only a store in memory has. All others are tested on both stores, by
//! `tests/repositories/contract`.

use chrono::TimeDelta;
use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    messaging::{
        delivery::{DeliveryEvent, Status},
        job::{Job, JobConcluded, JobPostponed},
        message::{MessageRequest, Terms},
        priority::{Origin, ProviderQueue},
    },
    platform::{
        analytics::{Count, Period},
        message_figures::{Dimension, FiguresQuery, FiguresRequest, MessageCounts},
    },
    shared::{
        address::Address,
        channel::Channel,
        money::Money,
        webhook_event::{WebhookEvent, WebhookEvents},
    },
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    messaging::{
        callbacks::CallbackRepository,
        messages::{ClaimLimits, FirstWorker, Intake, Jobs, Receipt, Recorded, Submission},
    },
    money::billing::WalletRepository,
    outreach::held_campaigns::HeldCampaigns,
    platform::analytics::AnalyticsRepository,
    shared::mock::{MockClock, MockLocalQueue},
};

use super::*;

const PRICE: Money = Money::from_micros(35_000);
const OWNER: Id<Organization> = Id::of(uuid::uuid!("01900000-0000-7000-8000-000000000abc"));

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

async fn store() -> MemoryStore {
    let store = MemoryStore::new(Arc::new(MockClock::at(now())));
    store.open(OWNER, PRICE * 10, now()).await.unwrap();
    store
}

/// Returns a request with `count` messages. Each has a number instead of the random part of its identifier.
fn submission(count: u64) -> Submission {
    let request = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".into()),
        body: Some("Akwaaba".into()),
        ..MessageRequest::default()
    };
    let draft = request.draft(None).unwrap();
    let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
    let message = Message::queue(OWNER, draft, Origin::Single, terms, now());
    let numbered = |number| Message {
        id: Id::of(uuid::Uuid::from_u64_pair(0x0190_0000_0000_7000, number)),
        ..message.clone()
    };
    Submission {
        organization: OWNER,
        idempotency: None,
        messages: (1..=count).map(numbered).collect(),
        first_worker: FirstWorker::Workers,
        advance: None,
    }
}

async fn accept(store: &MemoryStore, count: u64) -> Vec<Job> {
    match store.accept(submission(count)).await.unwrap() {
        Receipt::Accepted(jobs) => jobs,
        Receipt::Replayed(messages) => panic!("{messages:?}"),
    }
}

async fn claim(store: &MemoryStore) -> Vec<Job> {
    store.claim(&ClaimLimits::any(10)).await.unwrap()
}

#[tokio::test]
async fn leases_only_jobs_that_the_local_queue_has_room_for() {
    let mut queue = MockLocalQueue::new();
    queue.expect_provider_queue().return_const(ProviderQueue(7));
    queue.expect_room().return_const(2_usize);
    queue.expect_offer().once().returning(|mut jobs| jobs.split_off(1));
    queue.expect_wake().once().return_const(());
    let store = store().await.with_local_queue(Arc::new(queue));

    let jobs = accept(&store, 3).await;

    let held: Vec<_> = jobs.iter().map(|job| (job.lease.is_held(), job.provider_queue)).collect();
    assert_eq!(
        held,
        [(true, ProviderQueue(7)), (true, ProviderQueue(7)), (false, ProviderQueue(7))]
    );
    let claimed: Vec<_> = claim(&store).await.iter().map(|job| job.message.id).collect();
    assert_eq!(claimed, [jobs[1].message.id, jobs[2].message.id], "it gave one back");
}

#[tokio::test]
async fn frees_the_jobs_of_a_dead_instance() {
    let store = store().await;
    let other = store.instance(2);
    accept(&store, 1).await;
    let held = claim(&other).await.remove(0);
    assert_eq!(store.lease(held.message.id), Some((held.lease, now() + TimeDelta::seconds(120))));
    assert_eq!((store.release_instance(1), store.release_instance(2)), (0, 1));

    assert_eq!(claim(&store).await.len(), 1);
    let late = held.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
    let recorded = other.record(held.conclude(late).into()).await.unwrap();
    assert_eq!(recorded, Recorded::Stale);
}

#[tokio::test]
async fn frees_held_jobs_when_the_organization_is_restored() {
    let store = store().await;
    accept(&store, 1).await;
    let job = claim(&store).await.remove(0);
    let (message, lease, provider_queue) = (job.message, job.lease, job.provider_queue);
    let due_in = Some(TimeDelta::hours(1));
    let step = JobPostponed { message, lease, provider_queue, due_in, is_suspended: true };
    assert_eq!(store.record(step.into()).await.unwrap(), Recorded::Done);

    assert_eq!(HeldCampaigns::release(&store, &[OWNER]).await.unwrap(), 0);
    assert_eq!(claim(&store).await, []);
    assert_eq!(HeldCampaigns::release(&store, &[]).await.unwrap(), 1);
    assert_eq!(claim(&store).await.len(), 1);
}

#[tokio::test]
async fn publishes_only_subscribed_events_once() {
    let store = store().await;
    accept(&store, 3).await;
    let jobs = claim(&store).await;
    let publish = async |number: u8| {
        let job = jobs[usize::from(number) - 1].clone();
        let message = job.message.id;
        let dispatched = job.message.delivery.after(DeliveryEvent::Dispatched).unwrap();
        let delivery = dispatched.after(DeliveryEvent::Accepted { at: now() }).unwrap();
        let published = OutboundEvent {
            id: Id::of(uuid::Uuid::from_u128(number.into())),
            organization: OWNER,
            event: WebhookEvent::MessageStatusUpdated,
            subject: message.uuid(),
            data: "{}".into(),
            at: now(),
        };
        let step = JobConcluded { event: Some(published), ..job.conclude(delivery) };
        assert_eq!(store.record(step.into()).await.unwrap(), Recorded::Done);
        let opt_out = OptOut {
            organization: OWNER,
            channel: Channel::Sms,
            address: Address::stored(format!("+23324123456{number}")),
            source: SuppressionSource::Stop,
            at: now(),
        };
        for _ in 0..2 {
            store.suppress(&opt_out).await.unwrap();
        }
    };
    publish(1).await;
    assert_eq!(store.published_events(), [], "nobody asked for it");

    store.subscribe(OWNER, WebhookEvents::ALL);
    publish(2).await;
    store.subscribe(OWNER, [WebhookEvent::ContactOptedOut].into_iter().collect());
    publish(3).await;

    let published = store.published_events();
    let data: Vec<_> = published.iter().map(|published| published.data.as_str()).collect();
    let opted_out = |number| {
        format!(
            r#"{{"channel":"SMS","contactId":null,"phone":"+23324123456{number}","source":"STOP"}}"#
        )
    };
    assert_eq!(data, ["{}", &opted_out(2), &opted_out(3)], "each once");
}

#[tokio::test]
async fn the_same_calls_give_the_same_results() {
    let run = async || {
        let store = store().await;
        accept(&store, 3).await;
        let claimed = claim(&store).await;
        Jobs::release(&store, &claimed[..1]).await.unwrap();
        (claimed, store.messages(), store.jobs(), store.ledger(OWNER))
    };
    assert_eq!(run().await, run().await);
}

#[tokio::test]
async fn figures_are_those_of_live_messages() {
    let store = store().await;
    accept(&store, 3).await;
    let mut rehearsal = submission(4);
    rehearsal.messages.drain(..3);
    rehearsal.messages[0].is_sandbox = true;
    rehearsal.messages[0].cost = Money::ZERO;
    store.accept(rehearsal).await.unwrap();

    let today = now().date_naive();
    let counts = async |since| store.counts(OWNER, since, Period::Day).await.unwrap();
    let expected = Count {
        since: today,
        channel: Channel::Sms,
        status: Status::Queued,
        messages: 3,
        segments: 3,
        cost: PRICE * 3,
    };
    assert_eq!(counts(today).await, [expected]);
    assert_eq!(counts(today + TimeDelta::days(1)).await, []);
}

#[tokio::test]
async fn figures_by_one_property_keep_the_most_used_values() {
    let store = store().await;
    accept(&store, 3).await;
    let request = FiguresRequest { by: Dimension::Country, ..FiguresRequest::default() };
    let query = request.query(now()).unwrap();

    let found = store.figures(OWNER, &query).await.unwrap();
    let rest = store.figures(OWNER, &FiguresQuery { values: 0, ..query }).await.unwrap();

    let counts = MessageCounts { sent: 3, delivered: 0, failed: 0, segments: 3, cost: PRICE * 3 };
    assert_eq!((found[0].value.as_deref(), found[0].counts), (Some("GH"), counts));
    assert_eq!((rest[0].value.as_deref(), rest[0].is_other), (None, true));
    assert_eq!((found.len(), rest.len(), rest[0].counts), (1, 1, counts));
}
