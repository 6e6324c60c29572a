//! How much one caller may do.

use std::{net::IpAddr, sync::Arc};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{caller::Caller, id::Id, organization::Organization, rate::Rate, user::User};
use ports::rate_limits::{MessageRates, RateLimiter};

use crate::Error;

/// A message counts one for every started piece of that many bytes.
const MESSAGE_PIECE: usize = 16 * 1_024;

/// How much one caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Requests without credentials, for each address.
    pub guests: Rate,
    /// Requests that send no message, for each organization.
    pub requests: Rate,
    /// Live messages, for each organization.
    pub live_messages: Rate,
    /// Messages of the sandbox, for each organization.
    pub sandbox_messages: Rate,
    /// Registrations, for each address.
    pub registrations: Rate,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            guests: Rate::per_second(10, 600),
            requests: Rate::per_second(200, 2_000),
            live_messages: Rate::per_second(500, 5_000),
            sandbox_messages: Rate::per_second(20, 500),
            registrations: Rate::per_hour(20),
        }
    }
}

/// The same for all organizations.
#[async_trait]
impl MessageRates for Rates {
    async fn rate(&self, _: Id<Organization>, is_sandbox: bool) -> Rate {
        if is_sandbox { self.sandbox_messages } else { self.live_messages }
    }
}

/// Refuses what is done too often. Clones count together.
#[derive(Clone, Default)]
pub struct Limits(Option<Arc<Counted>>);

struct Counted {
    limiter: Arc<dyn RateLimiter>,
    rates: Rates,
    message_rates: Arc<dyn MessageRates>,
}

impl Limits {
    /// Everything passes.
    pub fn off() -> Self {
        Self(None)
    }

    /// Counts with `limiter`; `message_rates` knows what organizations may send.
    pub fn new(
        limiter: Arc<dyn RateLimiter>,
        rates: Rates,
        message_rates: Arc<dyn MessageRates>,
    ) -> Self {
        Self(Some(Arc::new(Counted { limiter, rates, message_rates })))
    }

    /// Whether anything is counted.
    pub fn are_on(&self) -> bool {
        self.0.is_some()
    }

    /// Counts a request without credentials from that address.
    pub async fn guest(&self, address: IpAddr) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(format!("guest:{address}"), counted.rates.guests, 1).await
    }

    /// Counts a registration from that address.
    pub async fn registration(&self, address: IpAddr) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(format!("registration:{address}"), counted.rates.registrations, 1).await
    }

    /// Counts a request of a user outside any organization.
    pub async fn user(&self, user: Id<User>) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(format!("user:{user}"), counted.rates.requests, 1).await
    }

    /// Counts a request that sends no message.
    pub async fn request(&self, caller: &Caller) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("organization:{}", caller.organization);
        counted.take(key, counted.rates.requests, 1).await
    }

    /// Counts so many messages, all or none.
    pub async fn messages(&self, caller: &Caller, count: u32) -> Result<(), Error> {
        let Some(counted) = self.0.as_ref().filter(|_| count > 0) else { return Ok(()) };
        let (organization, is_sandbox) = (caller.organization, caller.is_sandbox());
        let rate = counted.message_rates.rate(organization, is_sandbox).await;
        let mode = if is_sandbox { "sandbox" } else { "live" };
        counted.take(format!("messages:{mode}:{organization}"), rate, count).await
    }
}

impl Counted {
    async fn take(&self, key: String, rate: Rate, tokens: u32) -> Result<(), Error> {
        self.limiter.take(&key, rate, tokens).await.map_err(|exceeded| {
            let wait = TimeDelta::from_std(exceeded.retry_after).unwrap_or(TimeDelta::MAX);
            Error::RateLimited(wait)
        })
    }
}

/// How many messages those with these bodies count as.
pub fn counted_messages<'b>(bodies: impl Iterator<Item = &'b str>) -> u32 {
    let pieces = bodies.map(|body| body.len().div_ceil(MESSAGE_PIECE).max(1)).sum::<usize>();
    u32::try_from(pieces).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_counts_one_for_every_started_piece() {
        let long = "a".repeat(MESSAGE_PIECE + 1);
        assert_eq!(counted_messages(["", "a", &long[1..]].into_iter()), 3);
        assert_eq!(counted_messages([long.as_str(), "a"].into_iter()), 3);
    }
}
