//! Passwords: Argon2id, off the async threads.

use std::{error::Error as StdError, sync::Arc, thread};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};
use async_trait::async_trait;
use ports::identity::auth::{HashError, PasswordHasher};
use tokio::sync::Semaphore;
use usecases::shared::limits::Limit;

/// Memory in KiB, passes and parallelism, as OWASP recommends for Argon2id.
const MEMORY: u32 = 19 * 1_024;
const PASSES: u32 = 2;
const PARALLELISM: u32 = 1;
/// Hash that is verified if there is none, so that this takes as long. No password has it.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$YXR1bXBhbi1ub2JvZHk$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Maximum number of passwords that wait for those that are being hashed.
const MAX_WAITING: usize = 64;

/// Hashes passwords with Argon2id, at most on half of the cores.
pub struct Argon2Hasher {
    /// Permits of passwords that are hashed or wait.
    places: Arc<Semaphore>,
    /// Permits of passwords that are hashed.
    cores: Arc<Semaphore>,
}

impl Argon2Hasher {
    /// Creates a hasher that leaves half of the cores to the rest of the service.
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::on((cores / 2).max(1), MAX_WAITING)
    }

    fn on(cores: usize, waiting: usize) -> Self {
        let places = Arc::new(Semaphore::new(cores + waiting));
        Self { places, cores: Arc::new(Semaphore::new(cores)) }
    }

    /// Runs `work` on a thread that may block. A caller that goes away leaves its permits with the work.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            Limit::Passwords.count_refusal();
            return Err(HashError::Busy);
        };
        let core = Arc::clone(&self.cores).acquire_owned().await.map_err(failed)?;
        let work = move || {
            let _permits = (place, core);
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(failed)?
    }
}

impl Default for Argon2Hasher {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl PasswordHasher for Argon2Hasher {
    async fn hash(&self, password: String) -> Result<String, HashError> {
        self.run(move || {
            let hash = argon2()?.hash_password(password.as_bytes()).map_err(failed)?;
            Ok(hash.to_string())
        })
        .await
    }

    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, HashError> {
        self.run(move || {
            let text = hash.as_deref().unwrap_or(NOBODY);
            let parsed = PasswordHash::new(text).map_err(failed)?;
            let matches = argon2()?.verify_password(password.as_bytes(), &parsed).is_ok();
            Ok(matches && hash.is_some())
        })
        .await
    }
}

fn argon2() -> Result<Argon2<'static>, HashError> {
    let params = Params::new(MEMORY, PASSES, PARALLELISM, None).map_err(failed)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn failed(error: impl Into<Box<dyn StdError>>) -> HashError {
    HashError::Failed(error.into().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_only() {
        let hasher = Argon2Hasher::new();

        let hash = hasher.hash("correct horse".into()).await.unwrap();

        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(hash, hasher.hash("correct horse".into()).await.unwrap());
        assert!(hasher.verify("correct horse".into(), Some(hash.clone())).await.unwrap());
        assert!(!hasher.verify("Correct horse".into(), Some(hash)).await.unwrap());
    }

    #[tokio::test]
    async fn does_the_work_and_matches_nothing_without_a_hash() {
        let hasher = Argon2Hasher::new();

        assert!(!hasher.verify("anything".into(), None).await.unwrap());
        let hash = hasher.hash("anything".into()).await.unwrap();
        let of = |hash: &str| Params::try_from(&PasswordHash::new(hash).unwrap()).unwrap();
        assert_eq!(of(NOBODY), of(&hash));
    }

    #[tokio::test]
    async fn refuses_passwords_when_all_places_are_taken() {
        let hasher = Arc::new(Argon2Hasher::on(1, 2));
        let hash = || {
            let hasher = Arc::clone(&hasher);
            tokio::spawn(async move { hasher.hash("a".into()).await })
        };
        let hashing = [hash(), hash(), hash()];
        tokio::task::yield_now().await;

        let refused = hasher.hash("a".into()).await;

        assert!(matches!(refused, Err(HashError::Busy)), "{refused:?}");
        for hash in hashing {
            hash.await.unwrap().unwrap();
        }
        hasher.hash("a".into()).await.unwrap();
    }

    #[tokio::test]
    async fn reports_an_invalid_hash_as_an_error() {
        assert!(Argon2Hasher::new().verify("a".into(), Some("plain".into())).await.is_err());
    }
}
