//! Chance that yields the same values for the same seed.

use std::{
    ops::RangeInclusive,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ports::shared::random::Random;

/// Sequence of numbers that depends on a seed (`SplitMix64`). Clones draw from the same sequence.
#[derive(Debug, Clone)]
pub struct Chance(Arc<Mutex<u64>>);

impl Chance {
    /// Returns the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(seed)))
    }

    /// Returns another sequence, which depends on this one.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::new(self.number())
    }

    /// Returns the next number.
    pub fn number(&self) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from a range, all equally likely.
    pub fn within(&self, range: RangeInclusive<u64>) -> u64 {
        let (low, high) = range.into_inner();
        low + self.number() % (high - low + 1)
    }

    /// Returns the index of one of `count` things; `count` is at least one.
    pub fn index(&self, count: usize) -> usize {
        let place = self.within(0..=count.saturating_sub(1) as u64);
        usize::try_from(place).unwrap_or_default()
    }

    /// Returns one of several things; `None` if there are none.
    pub fn pick<'t, T>(&self, things: &'t [T]) -> Option<&'t T> {
        things.get(self.index(things.len()))
    }

    /// True with a probability of `permille` thousandths.
    pub fn happens(&self, permille: u64) -> bool {
        self.within(1..=1_000) <= permille
    }

    /// Returns a time from a range of milliseconds, short ones more likely than long ones.
    pub fn pause(&self, millis: RangeInclusive<u64>) -> Duration {
        let (low, high) = millis.into_inner();
        let longest = self.within(low..=high);
        Duration::from_millis(self.within(low..=longest))
    }
}

impl Random for Chance {
    fn secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        for part in secret.chunks_mut(8) {
            part.copy_from_slice(&self.number().to_be_bytes());
        }
        secret
    }

    fn fraction(&self) -> u16 {
        u16::try_from(self.within(0..=1_000)).unwrap_or_default()
    }
}
