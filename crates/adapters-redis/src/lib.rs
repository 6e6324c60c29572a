//! State that several instances share through Redis.

mod connection;
mod health;
mod rate_limits;
mod signals;

pub use connection::{InvalidUrl, RedisConnection, address};
pub use rate_limits::RedisRateLimiter;
pub use signals::RedisSignals;
