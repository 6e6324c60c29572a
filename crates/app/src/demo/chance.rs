//! Choices that look random and are the same in every demonstration.

/// Sequence of numbers by the algorithm `SplitMix64`.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    /// Begins the sequence of a seed.
    pub(super) const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `limit`; 0 if that is 0.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        u32::try_from(mixed % u64::from(limit.max(1))).unwrap_or_default()
    }

    /// True in so many of a thousand cases.
    pub(super) fn is_in(&mut self, thousandths: u32) -> bool {
        self.below(1_000) < thousandths
    }

    /// Returns a place in a list of that length.
    pub(super) fn place(&mut self, length: usize) -> usize {
        self.below(u32::try_from(length).unwrap_or(u32::MAX)) as usize
    }

    /// Returns one of the choices, of which there must be one.
    pub(super) fn one_of<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.place(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_one_sequence_within_its_limit() {
        let numbers = |seed| {
            let mut chance = Chance::seeded(seed);
            (0..1_000).map(|_| chance.below(7)).collect::<Vec<_>>()
        };

        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        for number in 0..7 {
            let count = numbers(1).into_iter().filter(|it| *it == number).count();
            assert!((100..190).contains(&count), "{number}: {count}");
        }
        assert!(numbers(1).into_iter().all(|number| number < 7));
    }
}
