//! Randomness.
//!
//! ```
//! use ports::shared::random::Random;
//!
//! /// Source without any randomness, for tests alone.
//! struct Sevens;
//!
//! impl Random for Sevens {
//!     fn secret(&self) -> [u8; 32] {
//!         [7; 32]
//!     }
//!
//!     fn fraction(&self) -> u16 {
//!         7
//!     }
//! }
//!
//! assert_eq!(Sevens.secret(), [7; 32]);
//! ```

/// Source of unpredictable bytes, fit for secrets.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Random: Send + Sync {
    /// Returns 32 unpredictable bytes.
    fn secret(&self) -> [u8; 32];

    /// Returns a fraction in thousandths: a number from 0 to 1,000, all equally likely.
    fn fraction(&self) -> u16;
}
