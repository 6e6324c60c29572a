//! Organizations that are known to have a wallet.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use uuid::Uuid;

/// How many organizations are remembered.
const CAPACITY: usize = 262_144;

/// Remembers which organizations have a wallet, so that it is asked for once and not with each batch.
/// A wallet is never removed.
#[derive(Default)]
pub(super) struct WalletCache(Mutex<HashSet<Uuid>>);

impl WalletCache {
    /// Those of the organizations of whose wallets nothing is known.
    pub(super) fn unknown(&self, organizations: &[Uuid]) -> Vec<Uuid> {
        let known = self.known();
        organizations.iter().filter(|id| !known.contains(*id)).copied().collect()
    }

    /// Remembers organizations that paid.
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
    fn a_wallet_that_was_seen_is_not_asked_for_again() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let wallets = WalletCache::default();
        assert_eq!(wallets.unknown(&[one, other]), [one, other]);

        wallets.remember(vec![one]);

        assert_eq!(wallets.unknown(&[one, other]), [other]);
    }

    #[test]
    fn no_more_than_so_many_are_remembered() {
        let wallets = WalletCache::default();
        for number in 0..=CAPACITY as u128 {
            wallets.remember(vec![Uuid::from_u128(number)]);
        }
        assert_eq!(wallets.known().len(), 1);
    }
}
