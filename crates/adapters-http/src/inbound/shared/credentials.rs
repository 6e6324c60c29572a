//! A cache of recent authentication results. It makes guessing credentials slow and cheap to refuse.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::TimeDelta;
use moka::sync::Cache;
use usecases::{
    Error,
    identity::auth::{SESSION_ENDED, UNAUTHORIZED},
    shared::limits::Limit,
};

/// Time for which a failed credential is refused without a check, and failures of an address are counted.
const FAILURE_TTL: Duration = Duration::from_secs(60);
/// Maximum number of different credentials of one address that may fail in that time.
const MAX_FAILURES: u32 = 100;
/// Time since its last use for which a valid credential is let through in any case.
const SUCCESS_TTL: Duration = Duration::from_secs(3_600);
/// Maximum number of failed credentials, and of addresses, in the cache.
const MAX_REMEMBERED: u64 = 50_000;
/// Maximum number of valid credentials in the cache: more than organizations use within an hour.
const MAX_HELD: u64 = 262_144;

/// Cache of credentials that failed or succeeded recently at this instance. Clones share it.
#[derive(Clone)]
pub struct Credentials(Arc<Memory>);

struct Memory {
    hashing: RandomState,
    failed: Cache<u64, Failed>,
    held: Cache<u64, ()>,
    failures: Cache<IpAddr, Arc<Failures>>,
}

/// Reason for which a credential failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failed {
    Unknown,
    Ended,
}

struct Failures {
    began: Instant,
    count: AtomicU32,
}

impl Default for Credentials {
    fn default() -> Self {
        Self(Arc::new(Memory {
            hashing: RandomState::new(),
            failed: Cache::builder().max_capacity(MAX_REMEMBERED).time_to_live(FAILURE_TTL).build(),
            held: Cache::builder().max_capacity(MAX_HELD).time_to_idle(SUCCESS_TTL).build(),
            failures: Cache::builder()
                .max_capacity(MAX_REMEMBERED)
                .time_to_live(FAILURE_TTL)
                .build(),
        }))
    }
}

impl Credentials {
    /// Returns the result of `authenticate` for a credential from an address. Fails early if the
    /// credential is cached as failed, or if too many others from the address failed.
    pub(crate) async fn check<T>(
        &self,
        credential: &str,
        address: IpAddr,
        authenticate: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let memory = &*self.0;
        let credential = memory.hashing.hash_one(credential);
        if let Some(failed) = memory.failed.get(&credential) {
            return Err(failed.into());
        }
        let is_known = memory.held.get(&credential).is_some();
        if !is_known && let Some(wait) = memory.wait(address) {
            Limit::Credentials.count_refusal();
            return Err(Error::RateLimited(wait));
        }
        match authenticate.await {
            Ok(found) => {
                if !is_known {
                    memory.held.insert(credential, ());
                }
                Ok(found)
            }
            Err(refusal) => {
                if let Some(failed) = Failed::of(&refusal) {
                    memory.failed.insert(credential, failed);
                    memory.count(address);
                }
                Err(refusal)
            }
        }
    }

    /// Counts a callback with a wrong proof. Fails if there were too many failures from the address.
    pub(crate) fn wrong_proof(&self, address: IpAddr) -> Result<(), Error> {
        let wait = self.0.wait(address);
        self.0.count(address);
        let Some(wait) = wait else { return Ok(()) };
        Limit::CallbackProofs.count_refusal();
        Err(Error::RateLimited(wait))
    }
}

impl Memory {
    fn count(&self, address: IpAddr) {
        let failures = self.failures.get_with(address, || {
            Arc::new(Failures { began: Instant::now(), count: AtomicU32::new(0) })
        });
        failures.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the time that an address must wait; `None` if it had few failures.
    fn wait(&self, address: IpAddr) -> Option<TimeDelta> {
        let failures = self.failures.get(&address)?;
        let is_over = failures.count.load(Ordering::Relaxed) >= MAX_FAILURES;
        let wait = FAILURE_TTL.saturating_sub(failures.began.elapsed());
        is_over.then(|| TimeDelta::from_std(wait).unwrap_or_default())
    }
}

impl Failed {
    fn of(refusal: &Error) -> Option<Self> {
        match refusal {
            Error::Unauthenticated(reason) if *reason == SESSION_ENDED => Some(Self::Ended),
            Error::Unauthenticated(_) => Some(Self::Unknown),
            _ => None,
        }
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Unknown => Self::Unauthenticated(UNAUTHORIZED),
            Failed::Ended => Self::Unauthenticated(SESSION_ENDED),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::ready, net::Ipv4Addr};

    use ports::shared::store::StoreError;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    async fn fail(credentials: &Credentials, credential: &str) -> Error {
        let failing = ready(Err::<(), _>(Error::Unauthenticated(UNAUTHORIZED)));
        credentials.check(credential, HERE, failing).await.unwrap_err()
    }

    #[tokio::test]
    async fn answers_a_failed_credential_from_the_cache_and_counts_it_once() {
        let credentials = Credentials::default();
        let asked = Cell::new(0);
        for _ in 0..3 * MAX_FAILURES {
            let authenticate = async {
                asked.set(asked.get() + 1);
                Err::<(), _>(Error::Unauthenticated(SESSION_ENDED))
            };
            let refusal = credentials.check("wrong", HERE, authenticate).await.unwrap_err();
            assert_eq!(refusal.reason(), Some(&SESSION_ENDED), "{refusal}");
        }
        assert_eq!(asked.get(), 1);
        assert_eq!(fail(&credentials, "another").await.reason(), Some(&UNAUTHORIZED));
    }

    #[tokio::test]
    async fn admits_only_cached_credentials_after_many_failures() {
        let credentials = Credentials::default();
        credentials.check("known", HERE, ready(Ok(()))).await.unwrap();
        for number in 0..MAX_FAILURES {
            let refusal = fail(&credentials, &number.to_string()).await;
            assert_eq!(refusal.reason(), Some(&UNAUTHORIZED), "{number}: {refusal}");
        }

        let refused = credentials.check("new", HERE, ready(Ok(()))).await;
        assert!(matches!(refused, Err(Error::RateLimited(wait)) if wait.num_seconds() <= 60));
        credentials.check("known", HERE, ready(Ok(()))).await.unwrap();
        credentials.check("new", ELSEWHERE, ready(Ok(()))).await.unwrap();
        credentials.check("new", HERE, ready(Ok(()))).await.unwrap();
        assert!(credentials.wrong_proof(HERE).is_err());
        assert!(credentials.wrong_proof(ELSEWHERE).is_ok());
    }

    #[tokio::test]
    async fn an_outage_is_no_failure_of_a_credential() {
        let credentials = Credentials::default();
        let away = Error::Store(StoreError::Unavailable("away".into()));
        credentials.check("good", HERE, ready(Err::<(), _>(away))).await.unwrap_err();
        credentials.check("good", HERE, ready(Ok(()))).await.unwrap();
    }
}
