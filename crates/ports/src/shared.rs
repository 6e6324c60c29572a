//! Types and ports that all subjects use.

pub mod changes;
pub mod clock;
#[cfg(feature = "mock")]
pub mod mock;
pub mod nobody;
pub mod random;
pub mod sealer;
pub mod signals;
pub mod store;
pub mod traces;
