//! What several instances share when there is a Redis.

mod connection;
mod health;
mod rate_limits;

pub use connection::{InvalidUrl, RedisConnection, address};
pub use rate_limits::RedisRateLimiter;
