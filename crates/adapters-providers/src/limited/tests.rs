//! Who has to wait, and for how long.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use domain::{category::Category, channel::Channel, provider::FollowUp};
use proptest::prelude::*;

use super::*;
use crate::{
    declaration::build,
    fixture::{self, deps, message},
    health,
    kind::Kind,
    secret::Secret,
};

/// Takes every message, after a while.
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
    let declaration = fixture::declaration(Kind::Simulated, Channel::Sms);
    Declaration { timeout, max_concurrency, max_per_second, ..declaration }
}

/// Whether a message was sent away, to come back later.
fn is_away(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::NotAccepted { failure, retry_after: Some(_) }
            if failure.code == FailureCode::ProviderBusy
    )
}

/// How many of `messages` that come at once are taken.
async fn taken(provider: &Arc<dyn MessagingProvider>, messages: usize) -> usize {
    let send = |_| {
        let provider = Arc::clone(provider);
        tokio::spawn(async move { provider.send(&message()).await })
    };
    let calls: Vec<_> = (0..messages).map(send).collect();
    let mut taken = 0;
    for call in calls {
        match call.await.unwrap() {
            Outcome::Accepted { .. } => taken += 1,
            outcome => assert!(is_away(&outcome), "{outcome:?}"),
        }
    }
    taken
}

#[tokio::test]
async fn one_at_a_time_is_one_at_a_time() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(Some(1), None), usize::MAX);

    let start = Instant::now();
    assert_eq!(taken(&provider, 3).await, 3);

    assert!(start.elapsed() >= 3 * CALL);
    assert_eq!(slow.most_under_way.load(SeqCst), 1);
}

#[tokio::test]
async fn who_waits_too_long_for_a_place_is_sent_away() {
    let slow = Arc::new(Slow::default());
    let declaration = Declaration { timeout: Some(CALL / 2), ..declaration(Some(1), None) };
    let provider = limited(Arc::clone(&slow) as _, &declaration, usize::MAX);

    assert_eq!(taken(&provider, 3).await, 1);
    assert_eq!(taken(&provider, 1).await, 1, "the place was given back");
}

#[tokio::test]
async fn one_a_second_is_one_a_second() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(None, Some(1)), usize::MAX);

    let start = Instant::now();
    assert_eq!(taken(&provider, 3).await, 1);

    assert!(start.elapsed() < Duration::from_millis(150), "a wait that is in vain is not begun");
    assert_eq!(provider.group_limit(), 1);
}

#[tokio::test]
async fn what_a_second_may_have_goes_at_once_and_the_rest_a_second_later() {
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
async fn those_who_are_sent_away_come_back_one_after_the_other_and_codes_soon() {
    let provider = limited(Arc::new(Slow::default()), &declaration(None, Some(10)), usize::MAX);
    assert_eq!(taken(&provider, 10).await, 10);
    let wait = async |category| {
        let mut message = message();
        Arc::make_mut(&mut message.draft).category = category;
        match provider.send(&message).await {
            Outcome::NotAccepted { retry_after: Some(wait), .. } => wait.num_milliseconds(),
            outcome => panic!("{outcome:?}"),
        }
    };

    for expected in [110, 220, 330] {
        let waited = wait(Category::Transactional).await;
        assert!((expected - 20..=expected).contains(&waited), "{waited}, not {expected}");
    }
    assert_eq!(wait(Category::Otp).await, 110);
}

#[tokio::test]
async fn a_group_counts_all_its_messages() {
    let provider = limited(Arc::new(Slow::default()), &declaration(None, Some(2)), usize::MAX);

    let group = [message(), message()];
    let outcomes = provider.send_group(&group).await;

    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Accepted { .. })));
    assert!(provider.send_group(&group).await.iter().all(is_away));
}

#[tokio::test]
async fn no_more_are_in_hand_than_leave_somebody_to_work_for_others() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(None, None), 2);

    assert_eq!(taken(&provider, 5).await, 2);
    assert_eq!(slow.most_under_way.load(SeqCst), 2);
    assert_eq!(taken(&provider, 1).await, 1);

    let waiting = limited(Arc::new(Slow::default()), &declaration(Some(1), None), 2);
    assert_eq!(taken(&waiting, 5).await, 2, "those who wait count too");
}

#[tokio::test]
async fn without_limits_nothing_stands_in_between() {
    let slow: Arc<dyn MessagingProvider> = Arc::new(Slow::default());

    let provider = limited(Arc::clone(&slow), &declaration(None, None), usize::MAX);

    assert!(Arc::ptr_eq(&slow, &provider));
}

#[tokio::test]
async fn what_hands_nothing_over_is_not_limited() {
    let provider = limited(Arc::new(Slow::default()), &declaration(Some(1), Some(1)), usize::MAX);

    for _ in 0..5 {
        assert_eq!(provider.look_up(&message()).await, LookUp::Waiting);
        assert_eq!(provider.check().await.status, domain::provider::CheckStatus::Up);
    }
}

#[test]
fn every_adapter_that_is_built_is_limited() {
    let declaration = Declaration {
        kind: Kind::SendGrid,
        channel: Channel::Email,
        sender: Some("no-reply@shop.example".into()),
        credentials: [("api_key".to_owned(), Secret::new("k3y"))].into(),
        ..declaration(None, Some(5))
    };

    let (_, adapter) = build(&declaration, &deps()).unwrap();

    assert_eq!(adapter.group_limit(), 5);
}

#[test]
fn nobody_waits_so_long_that_the_lease_could_end() {
    for (timeout, end) in [(1, 2), (15, 30), (30, 60), (45, 60), (60, 60)] {
        let timeout = Duration::from_secs(timeout);
        let wait = patience(timeout);
        assert_eq!(wait + timeout, Duration::from_secs(end));
        assert!(wait <= timeout);
    }
}

proptest! {
    #[test]
    fn in_no_second_go_more_than_may(
        most in 5..50_usize,
        calls in prop::collection::vec((0..200_u64, 1..5_usize, 0..3000_u64), 1..100),
    ) {
        let start = Instant::now();
        let mut schedule = Schedule::new(most, start);
        let (mut now, mut going) = (start, Vec::new());
        for (pause, messages, patience) in calls {
            now += Duration::from_millis(pause);
            let patience = Duration::from_millis(patience);
            if let Some(wait) = schedule.take(messages, now, patience) {
                prop_assert!(wait <= patience);
                going.extend(std::iter::repeat_n(now + wait, messages));
            }
        }
        for window in going.windows(most + 1) {
            prop_assert!(window[most] - window[0] >= SECOND);
        }
    }
}
