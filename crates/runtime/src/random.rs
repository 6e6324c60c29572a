//! Randomness from the operating system.

use ports::shared::random::Random;

/// The operating system's source of unpredictable bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

const WITHOUT_CHANCE: &str = "the operating system gives no random bytes";

impl Random for SystemRandom {
    #[expect(clippy::expect_used, reason = "a secret that can be guessed is worse than a stop")]
    fn secret(&self) -> [u8; 32] {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).expect(WITHOUT_CHANCE);
        secret
    }

    #[expect(clippy::expect_used, reason = "a system without chance gives no secrets either")]
    fn fraction(&self) -> u16 {
        let drawn = getrandom::u64().expect(WITHOUT_CHANCE) % 1_001;
        u16::try_from(drawn).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_fractions_stay_in_range() {
        assert_ne!(SystemRandom.secret(), SystemRandom.secret());
        assert!((0..1_000).all(|_| SystemRandom.fraction() <= 1_000));
    }
}
