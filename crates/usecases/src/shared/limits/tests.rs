//! Rules of counting requests and recording buckets.

use std::time::Duration;

use domain::{
    identity::organization::{OwnLimits, Role},
    shared::rate::{Level, Rate},
};
use ports::shared::mock::MockRateLimiter;

use super::*;
use crate::shared::fixtures::{member, program};

fn level(remaining: u32) -> Level {
    Level { remaining, full_in: Duration::from_millis(1_500) }
}

#[tokio::test]
async fn own_limits_replace_those_of_the_installation() {
    let limits = OwnLimits {
        live: RateLimit::new(7, 70),
        requests: RateLimit::new(3, 30),
        ..OwnLimits::default()
    };
    let usual = Rates::default();
    for (is_sandbox, messages) in [(false, Rate::per_second(7, 70)), (true, usual.sandbox_messages)]
    {
        let mut caller = program(&["messages:send"], is_sandbox);
        Arc::make_mut(&mut caller.policy).settings.limits = limits;
        let mut limiter = MockRateLimiter::new();
        let refused = Exceeded { retry_after: Duration::from_secs(1), level: level(1) };
        limiter
            .expect_take()
            .once()
            .withf(move |key, rate, tokens| {
                key.starts_with("messages:") && *rate == messages && *tokens == 2
            })
            .returning(move |_, _, _| Err(refused));
        limiter
            .expect_take()
            .once()
            .withf(|key, rate, _| {
                key.starts_with("organization:") && *rate == Rate::per_second(3, 30)
            })
            .returning(|_, _, _| Ok(level(29)));
        let limits = Limits::new(Arc::new(limiter), usual);
        let rate_limit = RateLimitSlot::begin();

        let refused = limits.messages(&caller, 2, &rate_limit).await;

        assert!(matches!(refused, Err(Error::RateLimited(_))), "{refused:?}");
        limits.request(&caller, &rate_limit).await.unwrap();
        let noted = rate_limit.statuses();
        assert_eq!(noted[0].wait, Some(Duration::from_secs(1)));
        assert_eq!((noted[0].rate, noted[0].level), (messages, level(1)));
        assert_eq!((noted[1].quota, noted[1].wait), (Quota::Requests, None));
    }
}

#[tokio::test]
async fn a_rehearsal_takes_from_the_bucket_of_sandbox_keys() {
    let (member, key) = (member(Role::Developer), program(&["messages:send"], true));
    let mut limiter = MockRateLimiter::new();
    let sandbox = format!("messages:sandbox:{}", member.organization);
    let take = limiter.expect_take().times(3);
    take.withf(move |key, _, _| key.starts_with(sandbox.as_str()))
        .returning(|_, _, tokens| Ok(level(100 - tokens)));
    let limits = Limits::new(Arc::new(limiter), Rates::default());
    let rate_limit = RateLimitSlot::begin();

    limits.messages(&key, 1, &rate_limit).await.unwrap();
    limits.rehearsal(&member, 2, &rate_limit).await.unwrap();
    let wait = limits.rehearsed_campaign(member.organization, &member.policy, 3).await;

    assert_eq!(wait, None);
    let noted: Vec<_> = rate_limit.statuses().iter().map(|it| (it.quota, it.level)).collect();
    assert_eq!(noted, [(Quota::SandboxMessages, level(98))]);
}

#[tokio::test]
async fn a_bucket_taken_from_twice_is_recorded_in_its_last_state() {
    let caller = program(&["messages:send"], false);
    let mut limiter = MockRateLimiter::new();
    limiter.expect_take().returning(|_, _, tokens| Ok(level(100 - tokens)));
    let limits = Limits::new(Arc::new(limiter), Rates::default());
    let rate_limit = RateLimitSlot::begin();

    limits.messages(&caller, 1, &rate_limit).await.unwrap();
    limits.messages(&caller, 9, &rate_limit).await.unwrap();

    let noted: Vec<_> = rate_limit.statuses().iter().map(|it| (it.quota, it.level)).collect();
    assert_eq!(noted, [(Quota::LiveMessages, level(91))]);
    Limits::off().messages(&caller, 1, &rate_limit).await.unwrap();
    assert_eq!(rate_limit.statuses().len(), 1, "what is not counted is not noted");
}

#[test]
fn a_message_counts_one_for_every_started_piece() {
    let long = "a".repeat(MESSAGE_PIECE + 1);
    assert_eq!(counted_messages(["", "a", &long[1..]].into_iter()), 3);
    assert_eq!(counted_messages([long.as_str(), "a"].into_iter()), 3);
}
