//! Top-ups and payment events of the gateway.

use std::slice::from_ref;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    money::{
        payment::{ExceptionReason, PaymentException, PaymentStatus, Resolution},
        top_up::{PaymentMethod, TopUp, TopUpReference, TopUpStatus},
    },
    shared::{id::Id, money::Money, page::Page},
};
use futures_util::future::join_all;
use ports::money::{
    payments::{
        EventOutcome, KeptEvent, PaymentRepository, SimulatedPayment, SimulatedPaymentRepository,
    },
    top_ups::TopUpRepository,
};
use uuid::Uuid;

use crate::{World, minutes, now};

const AMOUNT: Money = Money::from_cedis(5);

fn top_up(organization: Id<Organization>, created_at: DateTime<Utc>) -> TopUp {
    let mut random = [0; 32];
    random[..16].copy_from_slice(Uuid::new_v4().as_bytes());
    TopUp {
        id: Id::new_in(created_at, organization),
        organization,
        reference: TopUpReference::new_in(organization, random),
        amount: AMOUNT,
        method: PaymentMethod::MobileMoney,
        status: TopUpStatus::Pending,
        requested_by: Id::new(created_at),
        created_at,
        credited_at: None,
    }
}

impl World {
    /// Returns the store of top-ups.
    pub(super) fn top_ups(&self) -> &dyn TopUpRepository {
        &self.store
    }

    fn payments(&self) -> &dyn PaymentRepository {
        &self.store
    }

    /// Stores a top-up that waits for its payment.
    pub(super) async fn begin_top_up(&self, organization: Id<Organization>) -> TopUp {
        let top_up = top_up(organization, now());
        assert!(self.top_ups().insert(&top_up, Some(now()), 100).await.unwrap());
        top_up
    }

    async fn ledger(&self, organization: Id<Organization>) -> i64 {
        let sum = "SELECT coalesce(sum(amount_micros), 0)::bigint FROM ledger \
                   WHERE organization_id = $1";
        self.client().await.query_one(sum, &[&organization.uuid()]).await.unwrap().get(0)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_confirmations_credit_a_top_up_once() {
    let world = World::new().await;
    let own = world.organization().await.id;
    world.open_wallet(own, Money::ZERO).await;
    let top_up = world.begin_top_up(own).await;

    let credits: Vec<_> = (0..64).map(|_| top_up.credit(now())).collect();
    let credited =
        join_all(credits.iter().map(|credit| world.top_ups().credit(&top_up, credit))).await;

    let new = credited.iter().filter(|it| it.as_ref().unwrap().is_new).count();
    assert_eq!(new, 1);
    assert!(credited.iter().all(|it| it.as_ref().unwrap().balance == AMOUNT));
    assert_eq!(world.ledger(own).await, AMOUNT.micros());
    let kept = world.top_ups().find(&top_up.reference).await.unwrap().unwrap();
    assert_eq!(kept, top_up.credited(&credits[0]));
    world.top_ups().close(&top_up, TopUpStatus::Abandoned).await.unwrap();
    world.top_ups().check_again(&top_up, now()).await.unwrap();
    assert_eq!(world.top_ups().find(&top_up.reference).await.unwrap().unwrap(), kept);
}

#[tokio::test]
async fn a_top_up_keeps_the_address_of_its_payment_page() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (begun, other) = (world.begin_top_up(own).await, world.begin_top_up(own).await);

    world.top_ups().keep_checkout(&begun, "https://checkout.example.com/1").await.unwrap();

    let kept = world.top_ups().checkout(&begun).await.unwrap();
    assert_eq!(kept.as_deref(), Some("https://checkout.example.com/1"));
    assert_eq!(world.top_ups().checkout(&other).await.unwrap(), None);
}

#[tokio::test]
async fn a_failed_credit_leaves_the_top_up_pending() {
    let world = World::new().await;
    let without_wallet = world.organization().await.id;
    let top_up = world.begin_top_up(without_wallet).await;

    assert!(world.top_ups().credit(&top_up, &top_up.credit(now())).await.is_err());

    let kept = world.top_ups().find(&top_up.reference).await.unwrap().unwrap();
    assert_eq!(kept.status, TopUpStatus::Pending);
    world.open_wallet(without_wallet, Money::ZERO).await;
    world.top_ups().close(&top_up, TopUpStatus::Abandoned).await.unwrap();
    let late = world.top_ups().credit(&top_up, &top_up.credit(now())).await.unwrap();
    assert!(late.is_new);
}

#[tokio::test]
async fn rejects_a_top_up_when_too_many_are_open() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let insert = async |organization| {
        world.top_ups().insert(&top_up(organization, now()), Some(now()), 2).await.unwrap()
    };
    assert!(insert(own).await);
    let last = world.begin_top_up(own).await;
    assert!(!insert(own).await);
    assert!(insert(other).await);
    world.top_ups().close(&last, TopUpStatus::Failed).await.unwrap();
    assert!(insert(own).await);
}

#[tokio::test]
async fn one_instance_at_a_time_asks_about_an_open_top_up() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let first = world.begin_top_up(own).await;
    let later = top_up(own, now());
    world.top_ups().insert(&later, Some(now() + minutes(5)), 100).await.unwrap();
    let take = async |at| world.top_ups().take_due(at, minutes(2), 10).await.unwrap();

    assert_eq!(take(now()).await, from_ref(&first));
    assert_eq!(take(now() + minutes(1)).await, []);
    // The instance that took it died.
    assert_eq!(take(now() + minutes(2)).await, from_ref(&first));
    world.top_ups().check_again(&first, now() + minutes(60)).await.unwrap();
    assert_eq!(take(now() + minutes(5)).await, from_ref(&later));
    world.top_ups().close(&later, TopUpStatus::Abandoned).await.unwrap();
    assert_eq!(take(now() + minutes(59)).await, []);
    assert_eq!(take(now() + minutes(60)).await, [first]);
}

#[tokio::test]
async fn an_event_is_kept_once_with_its_first_outcome() {
    let world = World::alone().await;
    let event = KeptEvent {
        hash: [7; 32],
        kind: Some("charge.success".into()),
        reference: None,
        body: b"{\0}".to_vec(),
        size: 3,
        received_at: now(),
    };
    for outcome in [EventOutcome::Credited, EventOutcome::AlreadyCredited] {
        world.payments().keep_event(&event).await.unwrap();
        world.payments().note_outcome(event.hash, outcome).await.unwrap();
    }
    let client = world.client().await;
    let rows = client.query("SELECT outcome, body FROM gateway_events", &[]).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].get::<_, &str>(0), "CREDITED");
    assert_eq!(rows[0].get::<_, &[u8]>(1), b"{\0}");
}

#[tokio::test]
async fn an_exception_is_kept_once_per_reason_and_resolved_once() {
    let world = World::alone().await;
    let user = world.user().await.id;
    let exception = |reason, minute| PaymentException {
        id: Id::new(now() + minutes(minute)),
        reference: "r".into(),
        reason,
        amount: Some(AMOUNT),
        currency: Some("GHS".into()),
        expected: None,
        organization: None,
        noticed_at: now(),
        resolution: None,
    };
    let unknown = exception(ExceptionReason::UnknownReference, 0);
    let small = exception(ExceptionReason::AmountTooSmall, 1);
    let again = exception(ExceptionReason::UnknownReference, 2);
    let payments = world.payments();
    for (exception, is_new) in [(&unknown, true), (&small, true), (&again, false)] {
        assert_eq!(payments.keep_exception(exception).await.unwrap(), is_new);
    }
    let resolution = Resolution { at: now(), by: user, comment: "paid back".into() };
    assert!(payments.resolve_exception(unknown.id, &resolution).await.unwrap());
    assert!(!payments.resolve_exception(unknown.id, &resolution).await.unwrap());

    let resolved = PaymentException { resolution: Some(resolution), ..unknown };
    let page = Page::new(None, None).unwrap();
    for (filter, expected) in [
        (None, vec![small.clone(), resolved.clone()]),
        (Some(true), vec![resolved.clone()]),
        (Some(false), vec![small.clone()]),
    ] {
        let found = payments.exceptions(filter, page).await.unwrap();
        assert_eq!((found.total, found.items), (expected.len() as u64, expected));
    }
    assert_eq!(payments.find_exception(resolved.id).await.unwrap(), Some(resolved));
}

#[tokio::test]
async fn a_paid_simulation_stays_paid_and_retries_its_notification() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let open = SimulatedPayment {
        reference: top_up(organization, now()).reference,
        organization,
        amount: AMOUNT,
        method: PaymentMethod::Card,
        status: PaymentStatus::Open,
    };
    let payments: &dyn SimulatedPaymentRepository = &world.store;
    payments.add(&open, now()).await.unwrap();
    payments.add(&open, now()).await.unwrap();
    let decide = async |status, minute| {
        payments.decide(&open.reference, status, now() + minutes(minute)).await.unwrap().unwrap()
    };
    let take = async |at| payments.take_pending(at, TimeDelta::seconds(5), 10).await.unwrap().len();

    assert!(decide(PaymentStatus::Failed, 1).await.1);
    assert!(!decide(PaymentStatus::Failed, 1).await.1);
    let (paid, has_changed) = decide(PaymentStatus::Succeeded, 2).await;
    assert!(has_changed && paid.status == PaymentStatus::Succeeded);
    let (still, has_changed) = decide(PaymentStatus::Failed, 3).await;
    assert_eq!((&still, has_changed), (&paid, false));

    assert_eq!(take(now() + minutes(1)).await, 0);
    let mut taken = 0;
    for minute in 2..120 {
        taken += take(now() + minutes(minute)).await;
    }
    assert_eq!(taken, 9, "then nobody tells it any more");
    decide(PaymentStatus::Succeeded, 0).await;
    payments.mark_notified(&paid).await.unwrap();
    assert_eq!(take(now() + minutes(500)).await, 0);
}
