//! Tests of the waits for permits.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use domain::{messaging::outcome::FollowUp, shared::channel::Channel};
use proptest::prelude::*;

use super::*;
use crate::{
    build,
    fixture::{self, deps, message},
    health,
    secret::Secret,
};

/// Provider that accepts every message after a delay.
#[derive(Default)]
struct Slow {
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

const CALL: Duration = Duration::from_millis(30);

#[async_trait]
impl MessagingProvider for Slow {
    async fn send(&self, _: &Message) -> Outcome {
        let under_way = self.under_way.fetch_add(1, SeqCst) + 1;
        self.most_under_way.fetch_max(under_way, SeqCst);
        sleep(CALL).await;
        self.under_way.fetch_sub(1, SeqCst);
        Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
    }

    fn group_limit(&self) -> usize {
        100
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Waiting
    }

    async fn check(&self) -> Check {
        health::up("slow, but there")
    }
}

fn declaration(max_concurrency: Option<u32>, max_per_second: Option<u32>) -> Declaration {
    let timeout = Some(Duration::from_millis(200));
    let declaration = fixture::declaration("simulated", Channel::Sms);
    Declaration { timeout, max_concurrency, max_per_second, ..declaration }
}

const ONE: Demand = Demand { messages: 1, is_urgent: true };

fn limited(
    adapter: Arc<dyn MessagingProvider>,
    declaration: &Declaration,
    most_in_flight: usize,
) -> Arc<dyn MessagingProvider> {
    rate_limited(adapter, declaration, declaration.max_concurrency, most_in_flight)
}

/// Sends `messages` at once, as requests do, and returns the number accepted.
async fn taken(provider: &Arc<dyn MessagingProvider>, messages: usize) -> usize {
    let send = |_| {
        let provider = Arc::clone(provider);
        tokio::spawn(async move {
            let Admission::Granted(_place) = provider.admit(ONE).await else { return 0 };
            let outcome = provider.send(&message()).await;
            assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
            1
        })
    };
    let calls: Vec<_> = (0..messages).map(send).collect();
    let mut taken = 0;
    for call in calls {
        taken += call.await.unwrap();
    }
    taken
}

#[tokio::test]
async fn max_concurrency_limits_concurrent_calls() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(Some(1), None), usize::MAX);

    let start = Instant::now();
    assert_eq!(taken(&provider, 3).await, 3);

    assert!(start.elapsed() >= 3 * CALL);
    assert_eq!(slow.most_under_way.load(SeqCst), 1);
}

#[tokio::test]
async fn a_message_that_waits_too_long_gets_no_permit() {
    let slow = Arc::new(Slow::default());
    let declaration = Declaration { timeout: Some(CALL / 2), ..declaration(Some(1), None) };
    let provider = limited(Arc::clone(&slow) as _, &declaration, usize::MAX);

    assert_eq!(taken(&provider, 3).await, 1);
    assert_eq!(taken(&provider, 1).await, 1, "the place was given back");
}

#[tokio::test]
async fn max_per_second_limits_the_rate() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(None, Some(1)), usize::MAX);

    let start = Instant::now();
    assert_eq!(taken(&provider, 3).await, 1);

    assert!(start.elapsed() < Duration::from_millis(150), "a wait that is in vain is not begun");
    assert_eq!(provider.group_limit(), 1);
}

#[tokio::test]
async fn a_burst_up_to_the_rate_goes_at_once_and_the_rest_later() {
    let slow = Arc::new(Slow::default());
    let timeout = Some(Duration::from_secs(5));
    let declaration = Declaration { timeout, ..declaration(Some(100), Some(20)) };
    let provider = limited(Arc::clone(&slow) as _, &declaration, usize::MAX);

    let start = Instant::now();
    assert_eq!(taken(&provider, 20).await, 20);
    assert!(start.elapsed() < Duration::from_millis(500));
    assert_eq!(taken(&provider, 2).await, 2);

    assert!(start.elapsed() >= SECOND, "{:?}", start.elapsed());
    assert_eq!(provider.group_limit(), 20);
}

#[tokio::test]
async fn the_pace_shows_when_the_next_message_may_go() {
    let provider = limited(Arc::new(Slow::default()), &declaration(Some(2), Some(10)), usize::MAX);
    assert_eq!(provider.pace().wait, Duration::ZERO);
    let places = [provider.try_admit(ONE), provider.try_admit(ONE)];
    assert!(places.iter().all(|it| matches!(it, Admission::Granted(_))), "{places:?}");

    assert!(matches!(provider.try_admit(ONE), Admission::Later), "both places are taken");
    assert!(provider.pace().wait > Duration::ZERO);
    drop(places);
    assert_eq!(provider.pace().wait, Duration::ZERO, "a place that is dropped is free");
    for _ in 0..8 {
        assert!(matches!(provider.try_admit(ONE), Admission::Granted(_)));
    }
    assert!(matches!(provider.try_admit(ONE), Admission::Later), "ten went in this second");
    let pace = provider.pace();
    assert!((Duration::from_millis(500)..=SECOND).contains(&pace.wait), "{pace:?}");
    // The average starts at one second before the first call.
    assert_eq!(pace.between, Duration::from_millis(100).max(SECOND / 2 / 10));
}

#[tokio::test]
async fn a_group_counts_all_its_messages() {
    let provider = limited(Arc::new(Slow::default()), &declaration(None, Some(2)), usize::MAX);
    let group = Demand { messages: 2, is_urgent: false };

    assert!(matches!(provider.try_admit(group), Admission::Granted(_)));
    assert!(matches!(provider.try_admit(ONE), Admission::Later));
}

#[tokio::test]
async fn the_number_of_messages_in_flight_is_limited() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(None, None), 2);

    assert_eq!(taken(&provider, 5).await, 2);
    assert_eq!(slow.most_under_way.load(SeqCst), 2);
    assert_eq!(taken(&provider, 1).await, 1);

    let waiting = limited(Arc::new(Slow::default()), &declaration(Some(1), None), 2);
    assert_eq!(taken(&waiting, 5).await, 2, "those who wait count too");
}

#[tokio::test]
async fn an_adapter_without_limits_is_not_wrapped() {
    let slow: Arc<dyn MessagingProvider> = Arc::new(Slow::default());

    let provider = limited(Arc::clone(&slow), &declaration(None, None), usize::MAX);

    assert!(Arc::ptr_eq(&slow, &provider));
}

#[tokio::test]
async fn lookups_and_checks_are_not_limited() {
    let provider = limited(Arc::new(Slow::default()), &declaration(Some(1), Some(1)), usize::MAX);

    for _ in 0..5 {
        assert_eq!(provider.look_up(&message()).await, LookUp::Waiting);
        assert_eq!(provider.check().await.status, domain::providers::provider::CheckStatus::Up);
    }
}

#[test]
fn every_adapter_that_is_built_is_limited() {
    let declaration = Declaration {
        kind: "sendgrid".parse().unwrap(),
        channel: Channel::Email,
        sender: Some("no-reply@shop.example".into()),
        credentials: [("api_key".to_owned(), Secret::new("k3y"))].into(),
        ..declaration(None, Some(5))
    };

    let (_, adapter) = build(&declaration, &deps()).unwrap();

    assert_eq!(adapter.group_limit(), 5);
}

#[test]
fn a_wait_and_its_call_fit_within_the_lease() {
    for (timeout, end) in [(1, 2), (15, 30), (30, 60), (45, 60), (60, 60)] {
        let timeout = Duration::from_secs(timeout);
        let wait = max_wait(timeout);
        assert_eq!(wait + timeout, Duration::from_secs(end));
        assert!(wait <= timeout);
    }
}

proptest! {
    #[test]
    fn no_second_exceeds_the_rate(
        most in 5..50_usize,
        calls in prop::collection::vec((0..200_u64, 1..5_usize, 0..3000_u64), 1..100),
    ) {
        let start = Instant::now();
        let mut schedule = Schedule::new(most);
        let (mut now, mut going) = (start, Vec::new());
        for (pause, messages, max_wait) in calls {
            now += Duration::from_millis(pause);
            let max_wait = Duration::from_millis(max_wait);
            if let Some(wait) = schedule.reserve(messages, now, max_wait) {
                prop_assert!(wait <= max_wait);
                going.extend(std::iter::repeat_n(now + wait, messages));
            }
        }
        for window in going.windows(most + 1) {
            prop_assert!(window[most] - window[0] >= SECOND);
        }
    }
}
