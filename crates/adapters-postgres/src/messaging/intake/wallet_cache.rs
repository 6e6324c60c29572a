//! Organizations that are known to have a wallet.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use uuid::Uuid;

/// Maximum number of organizations remembered.
const CAPACITY: usize = 262_144;

/// Cache of the organizations that have a wallet, so that this is checked once and not with each
/// batch. A wallet is never removed.
#[derive(Default)]
pub(super) struct WalletCache(Mutex<HashSet<Uuid>>);

impl WalletCache {
    /// Returns the organizations that are not in the cache.
    pub(super) fn unknown(&self, organizations: &[Uuid]) -> Vec<Uuid> {
        let known = self.known();
        organizations.iter().filter(|id| !known.contains(*id)).copied().collect()
    }

    /// Adds organizations that paid.
    pub(super) fn remember(&self, organizations: Vec<Uuid>) {
        if organizations.is_empty() {
            return;
        }
        let mut known = self.known();
        if known.len() + organizations.len() > CAPACITY {
            known.clear();
        }
        known.extend(organizations);
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_wallet_is_not_read_again() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let wallets = WalletCache::default();
        assert_eq!(wallets.unknown(&[one, other]), [one, other]);

        wallets.remember(vec![one]);

        assert_eq!(wallets.unknown(&[one, other]), [other]);
    }

    #[test]
    fn caches_a_limited_number_of_wallets() {
        let wallets = WalletCache::default();
        for number in 0..=CAPACITY as u128 {
            wallets.remember(vec![Uuid::from_u128(number)]);
        }
        assert_eq!(wallets.known().len(), 1);
    }
}
