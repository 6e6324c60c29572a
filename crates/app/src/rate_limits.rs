//! Limits and a sign of life for a process that shares nothing with others.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use ports::{
    health::SharedProbe,
    rate_limits::{Exceeded, Quota, RateLimiter},
};

/// From how many keys on those of past windows are forgotten.
const CROWD: usize = 10_000;

/// Counts in fixed windows, in this process alone.
#[derive(Debug, Default)]
pub struct InProcess {
    windows: Mutex<HashMap<String, Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    ends: Instant,
    hits: u32,
}

impl InProcess {
    fn count(&self, key: &str, quota: Quota, now: Instant) -> Result<(), Exceeded> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= CROWD {
            windows.retain(|_, window| window.ends > now);
        }
        let fresh = Window { ends: now + quota.window, hits: 0 };
        let window = windows.entry(key.to_owned()).or_insert(fresh);
        if window.ends <= now {
            *window = fresh;
        }
        window.hits = window.hits.saturating_add(1);
        if window.hits > quota.hits {
            return Err(Exceeded { retry_after: window.ends.duration_since(now) });
        }
        Ok(())
    }
}

#[async_trait]
impl RateLimiter for InProcess {
    async fn hit(&self, key: &str, quota: Quota) -> Result<(), Exceeded> {
        self.count(key, quota, Instant::now())
    }
}

#[async_trait]
impl SharedProbe for InProcess {
    async fn ping(&self) -> Result<String, String> {
        Ok("no Redis is configured; a substitute in the process serves".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const QUOTA: Quota = Quota { hits: 2, window: Duration::from_secs(10) };

    #[test]
    fn what_exceeds_the_quota_waits_for_the_next_window() {
        let limits = InProcess::default();
        let now = Instant::now();
        assert_eq!(limits.count("a", QUOTA, now), Ok(()));
        assert_eq!(limits.count("a", QUOTA, now), Ok(()));

        let later = now + Duration::from_secs(4);
        let retry_after = Duration::from_secs(6);
        assert_eq!(limits.count("a", QUOTA, later), Err(Exceeded { retry_after }));
        assert_eq!(limits.count("b", QUOTA, later), Ok(()));
        assert_eq!(limits.count("a", QUOTA, now + QUOTA.window), Ok(()));
    }

    #[test]
    fn past_windows_do_not_pile_up() {
        let limits = InProcess::default();
        let now = Instant::now();
        for key in 0..CROWD {
            limits.count(&key.to_string(), QUOTA, now).unwrap();
        }

        limits.count("new", QUOTA, now + QUOTA.window).unwrap();

        assert_eq!(limits.windows.lock().unwrap().len(), 1);
    }
}
