//! Randomness.

/// Source of unpredictable bytes, fit for secrets.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Random: Send + Sync {
    /// Returns 32 unpredictable bytes.
    fn secret(&self) -> [u8; 32];

    /// Returns a fraction in thousandths: a number from 0 to 1,000, all equally likely.
    fn fraction(&self) -> u16;
}
