//! Rules of campaigns that are rehearsed.

use std::time::Duration;

use domain::shared::rate::Level;
use ports::{platform::rate_limits::Exceeded, shared::mock::MockRateLimiter};

use super::*;
use crate::{
    messaging::messages::MessagesDeps,
    shared::{
        fixtures::sending,
        limits::{Limits, Rates},
    },
};

#[tokio::test]
async fn a_rehearsal_waits_until_the_sandbox_takes_its_messages() {
    let (intake, submissions) = open_intake();
    let campaign = Campaign { is_sandbox: true, ..campaign() };
    let mut queue = queue_of(&campaign);
    queue.expect_give_back().once().returning(|_, delay| {
        assert_eq!(delay, Some(TimeDelta::seconds(25)));
        Ok(())
    });
    let contacts =
        vec![contact(Some("Ama"), Some("0241234567"), 2), contact(Some("Kofi"), None, 1)];
    let mut limiter = MockRateLimiter::new();
    limiter.expect_take().once().returning(|key, _, tokens| {
        assert!(key.starts_with("messages:sandbox:") && tokens == 1, "{key} {tokens}");
        let full_in = Duration::from_secs(25);
        Err(Exceeded { retry_after: full_in, level: Level { remaining: 0, full_in } })
    });
    let limits = Limits::new(Arc::new(limiter), Rates::default());
    let deps = sending(intake, provider("live", 1, TimeDelta::minutes(10)));
    let messages = Messages::new(MessagesDeps { limits, ..deps });
    let work = work_sending(campaign, contacts, queue, messages);

    assert!(work.work_once().await.unwrap());

    assert!(submissions.lock().unwrap().is_empty());
}
