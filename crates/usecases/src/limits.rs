//! How much one caller may do.

use std::{net::IpAddr, sync::Arc};

use chrono::TimeDelta;
use domain::{caller::Caller, id::Id, organization::RateLimit, rate::Rate, user::User};
use ports::rate_limits::RateLimiter;

use crate::Error;

/// A message counts one for every started piece of that many bytes.
const MESSAGE_PIECE: usize = 16 * 1_024;

/// What a request is refused by when there were too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Wrong proofs of callbacks, from one address.
    CallbackProofs,
    /// Texts that a language model writes at the same time, of one organization or of all.
    Content,
    /// Wrong credentials, from one address.
    Credentials,
    /// Requests without credentials, from one address.
    Guests,
    /// Submissions that wait to be accepted, of all.
    Intake,
    /// Live messages of one organization.
    LiveMessages,
    /// Attempts to sign in, to one account or from one address.
    Logins,
    /// Mails that wait to be made, of all.
    Mails,
    /// Passwords that wait to be hashed, of all.
    Passwords,
    /// Registrations from one address.
    Registrations,
    /// Requests that send no message, of one organization or user.
    Requests,
    /// Mails with reset tokens to one address.
    ResetMails,
    /// Messages of the sandbox of one organization.
    SandboxMessages,
}

impl Limit {
    /// Counts a refusal.
    pub fn count_refusal(self) {
        metrics::counter!("atumpan_requests_refused_total", "limit" => self.as_str()).increment(1);
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::CallbackProofs => "CALLBACK_PROOFS",
            Self::Content => "CONTENT",
            Self::Credentials => "CREDENTIALS",
            Self::Guests => "GUESTS",
            Self::Intake => "INTAKE",
            Self::LiveMessages => "LIVE_MESSAGES",
            Self::Logins => "LOGINS",
            Self::Mails => "MAILS",
            Self::Passwords => "PASSWORDS",
            Self::Registrations => "REGISTRATIONS",
            Self::Requests => "REQUESTS",
            Self::ResetMails => "RESET_MAILS",
            Self::SandboxMessages => "SANDBOX_MESSAGES",
        }
    }
}

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

/// Refuses what is done too often. Clones count together.
#[derive(Clone, Default)]
pub struct Limits(Option<Arc<Counted>>);

struct Counted {
    limiter: Arc<dyn RateLimiter>,
    rates: Rates,
}

impl Limits {
    /// Everything passes.
    pub fn off() -> Self {
        Self(None)
    }

    /// Counts with `limiter`. `rates` hold for organizations without limits of their own.
    pub fn new(limiter: Arc<dyn RateLimiter>, rates: Rates) -> Self {
        Self(Some(Arc::new(Counted { limiter, rates })))
    }

    /// Whether anything is counted.
    pub fn are_on(&self) -> bool {
        self.0.is_some()
    }

    /// Counts a request without credentials from that address.
    pub async fn guest(&self, address: IpAddr) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(Limit::Guests, format!("guest:{address}"), counted.rates.guests, 1).await
    }

    /// Counts a registration from that address.
    pub async fn registration(&self, address: IpAddr) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("registration:{address}");
        counted.take(Limit::Registrations, key, counted.rates.registrations, 1).await
    }

    /// Counts a request of a user outside any organization.
    pub async fn user(&self, user: Id<User>) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(Limit::Requests, format!("user:{user}"), counted.rates.requests, 1).await
    }

    /// Counts a request that sends no message.
    pub async fn request(&self, caller: &Caller) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("organization:{}", caller.organization);
        let own = caller.policy.settings.limits.requests;
        let rate = own.map_or(counted.rates.requests, RateLimit::rate);
        counted.take(Limit::Requests, key, rate, 1).await
    }

    /// Counts so many messages, all or none.
    pub async fn messages(&self, caller: &Caller, count: u32) -> Result<(), Error> {
        let Some(counted) = self.0.as_ref().filter(|_| count > 0) else { return Ok(()) };
        let (own, rates) = (caller.policy.settings.limits, counted.rates);
        let (limit, mode, own, usual) = if caller.is_sandbox() {
            (Limit::SandboxMessages, "sandbox", own.sandbox, rates.sandbox_messages)
        } else {
            (Limit::LiveMessages, "live", own.live, rates.live_messages)
        };
        let (organization, rate) = (caller.organization, own.map_or(usual, RateLimit::rate));
        counted.take(limit, format!("messages:{mode}:{organization}"), rate, count).await
    }
}

impl Counted {
    async fn take(&self, limit: Limit, key: String, rate: Rate, tokens: u32) -> Result<(), Error> {
        self.limiter.take(&key, rate, tokens).await.map_err(|exceeded| {
            limit.count_refusal();
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
    use std::time::Duration;

    use domain::organization::OwnLimits;
    use ports::{mock::MockRateLimiter, rate_limits::Exceeded};

    use super::*;
    use crate::fixtures::program;

    #[tokio::test]
    async fn an_organization_is_counted_by_its_own_limits_where_it_has_some() {
        let limits = OwnLimits {
            live: RateLimit::new(7, 70),
            sandbox: None,
            requests: RateLimit::new(3, 30),
        };
        let usual = Rates::default();
        for (is_sandbox, messages) in
            [(false, Rate::per_second(7, 70)), (true, usual.sandbox_messages)]
        {
            let mut caller = program(&["messages:send"], is_sandbox);
            Arc::make_mut(&mut caller.policy).settings.limits = limits;
            let mut limiter = MockRateLimiter::new();
            let refused = Exceeded { retry_after: Duration::from_secs(1) };
            limiter
                .expect_take()
                .once()
                .withf(move |key, rate, tokens| {
                    key.starts_with("messages:") && *rate == messages && *tokens == 2
                })
                .returning(move |_, _, _| Err(refused));
            limiter
                .expect_take()
                .once()
                .withf(|key, rate, _| {
                    key.starts_with("organization:") && *rate == Rate::per_second(3, 30)
                })
                .returning(|_, _, _| Ok(()));
            let limits = Limits::new(Arc::new(limiter), usual);

            let refused = limits.messages(&caller, 2).await;

            assert!(matches!(refused, Err(Error::RateLimited(_))), "{refused:?}");
            limits.request(&caller).await.unwrap();
        }
    }

    #[test]
    fn a_message_counts_one_for_every_started_piece() {
        let long = "a".repeat(MESSAGE_PIECE + 1);
        assert_eq!(counted_messages(["", "a", &long[1..]].into_iter()), 3);
        assert_eq!(counted_messages([long.as_str(), "a"].into_iter()), 3);
    }
}
