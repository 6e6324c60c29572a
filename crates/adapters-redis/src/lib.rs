#![doc = include_str!("../README.md")]

mod connection;
mod health;
mod rate_limits;
mod signals;

pub use connection::{InvalidUrl, RedisConnection, address, check_url};
pub use rate_limits::RedisRateLimiter;
pub use signals::RedisSignals;
