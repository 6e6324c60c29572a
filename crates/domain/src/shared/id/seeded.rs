//! Identifiers that are the same for the same seed, for reproducible runs.

use std::cell::Cell;

use chrono::{DateTime, Utc};
use uuid::{Builder, Uuid};

thread_local! {
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Makes the seed decide the random part of the identifiers that this thread creates from now on.
pub fn begin(seed: u64) {
    STATE.set(Some(seed));
}

/// Makes that part random again.
pub fn end() {
    STATE.set(None);
}

/// Returns an identifier of the given time; `None` if no seed is set.
pub(super) fn mint(now: DateTime<Utc>) -> Option<Uuid> {
    STATE.get()?;
    let millis = u64::try_from(now.timestamp_millis()).unwrap_or_default();
    let mut bits = [0; 10];
    bits[..8].copy_from_slice(&next().to_be_bytes());
    bits[8..].copy_from_slice(&next().to_be_bytes()[..2]);
    Some(Builder::from_unix_timestamp_millis(millis, &bits).into_uuid())
}

/// Returns the next number (`SplitMix64`).
fn next() -> u64 {
    let state = STATE.get().unwrap_or_default().wrapping_add(0x9E37_79B9_7F4A_7C15);
    STATE.set(Some(state));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_identifiers_until_it_is_ended() {
        let now = DateTime::UNIX_EPOCH;
        let minted = || {
            begin(17);
            [mint(now), mint(now)]
        };
        let first = minted();
        assert!(first[0].is_some() && first[0] != first[1]);
        assert_eq!(minted(), first);

        end();
        assert_eq!(mint(now), None);
    }
}
