//! Chance.

/// A source of unpredictable bytes, fit for secrets.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Random: Send + Sync {
    /// Thirty-two bytes that nobody can guess.
    fn secret(&self) -> [u8; 32];

    /// A number from 0 to 1,000, all equally likely: a part, in thousandths.
    fn fraction(&self) -> u16;
}
