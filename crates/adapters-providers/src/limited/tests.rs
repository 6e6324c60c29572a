//! Who has to wait, and for how long.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

use domain::{
    channel::Channel,
    provider::{FollowUp, Route},
};
use proptest::prelude::*;

use super::*;
use crate::{
    declaration::build,
    fixture::{deps, message},
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
}

fn declaration(max_concurrency: Option<u32>, max_per_second: Option<u32>) -> Declaration {
    Declaration {
        name: "one".into(),
        kind: Kind::Simulated,
        channel: Channel::Sms,
        sender: None,
        base_url: None,
        credentials: BTreeMap::new(),
        routes: vec![Route { country: None, priority: 100 }],
        timeout: Some(Duration::from_millis(200)),
        reconcile_after: None,
        max_concurrency,
        max_per_second,
        options: BTreeMap::new(),
    }
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
            outcome => assert_eq!(outcome, too_busy()),
        }
    }
    taken
}

#[tokio::test]
async fn one_at_a_time_is_one_at_a_time() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(Some(1), None));

    let start = Instant::now();
    assert_eq!(taken(&provider, 3).await, 3);

    assert!(start.elapsed() >= 3 * CALL);
    assert_eq!(slow.most_under_way.load(SeqCst), 1);
}

#[tokio::test]
async fn who_waits_too_long_for_a_place_is_sent_away() {
    let slow = Arc::new(Slow::default());
    let declaration = Declaration { timeout: Some(CALL / 2), ..declaration(Some(1), None) };
    let provider = limited(Arc::clone(&slow) as _, &declaration);

    assert_eq!(taken(&provider, 3).await, 1);
    assert_eq!(taken(&provider, 1).await, 1, "the place was given back");
}

#[tokio::test]
async fn one_a_second_is_one_a_second() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(None, Some(1)));

    let start = Instant::now();
    assert_eq!(taken(&provider, 3).await, 1);

    assert!(start.elapsed() < Duration::from_millis(150), "a wait that is in vain is not begun");
    assert_eq!(provider.group_limit(), 1);
}

#[tokio::test]
async fn a_burst_of_a_second_goes_at_once_and_the_rest_follows() {
    let slow = Arc::new(Slow::default());
    let provider = limited(Arc::clone(&slow) as _, &declaration(Some(100), Some(20)));

    let start = Instant::now();
    assert_eq!(taken(&provider, 22).await, 22);

    // The 22nd waits for two tokens: 100 ms.
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(100) && took < Duration::from_millis(300), "{took:?}");
    assert_eq!(provider.group_limit(), 20);
}

#[tokio::test]
async fn a_group_counts_all_its_messages() {
    let provider = limited(Arc::new(Slow::default()), &declaration(None, Some(2)));

    let group = [message(), message()];
    let outcomes = provider.send_group(&group).await;

    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Accepted { .. })));
    assert_eq!(provider.send_group(&group).await, [too_busy(), too_busy()]);
}

#[tokio::test]
async fn without_limits_nothing_stands_in_between() {
    let slow: Arc<dyn MessagingProvider> = Arc::new(Slow::default());

    let provider = limited(Arc::clone(&slow), &declaration(None, None));

    assert!(Arc::ptr_eq(&slow, &provider));
}

#[tokio::test]
async fn what_hands_nothing_over_is_not_limited() {
    let provider = limited(Arc::new(Slow::default()), &declaration(Some(1), Some(1)));

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
    /// In no span are more tokens given out than a full bucket and what the span brought.
    #[test]
    fn no_more_is_given_out_than_came(
        rate in 1..1000_u32,
        calls in prop::collection::vec((0..2000_u64, 1..5_usize, 0..3000_u64), 1..60),
    ) {
        let start = Instant::now();
        let mut bucket = Bucket::full(rate, start);
        let (mut now, mut given) = (start, Vec::new());
        for (pause, tokens, patience) in calls {
            now += Duration::from_millis(pause);
            let patience = Duration::from_millis(patience);
            if let Some(wait) = bucket.take(tokens, now, patience) {
                prop_assert!(wait <= patience);
                given.push((now + wait, tokens));
            }
        }
        for (first, (from, _)) in given.iter().enumerate() {
            let mut sum = 0;
            for (until, tokens) in &given[first..] {
                sum += u32::try_from(*tokens).unwrap();
                let span = until.saturating_duration_since(*from).as_secs_f64();
                // What is given at the very beginning may have come just before.
                let most = f64::from(rate) * (1.0 + span) + 4.0 + 1e-3;
                prop_assert!(f64::from(sum) <= most, "{sum} in {span} s at {rate}/s");
            }
        }
    }
}
