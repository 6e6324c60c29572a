//! Rate limits of callers.

mod slot;

use std::{net::IpAddr, sync::Arc};

use chrono::TimeDelta;
use domain::{
    identity::{
        caller::Caller,
        organization::{DAILY_TEXTS, Organization, RateLimit},
        policy::Policy,
        user::User,
    },
    shared::{id::Id, rate::Rate},
};
use metrics::Counter;
use ports::platform::rate_limits::{Exceeded, RateLimiter};

pub use self::slot::{Quota, RateLimitSlot, RateLimitStatus};
use crate::Error;

/// A message counts once per started piece of this size, in bytes.
const MESSAGE_PIECE: usize = 16 * 1_024;

domain::closed_list! {
    /// Limit that refuses requests.
    pub enum Limit {
        /// Invalid callback proofs from one address.
        CallbackProofs = "CALLBACK_PROOFS",
        /// Texts by a language model, concurrent or per day, of one organization or of all.
        Content = "CONTENT",
        /// Invalid credentials from one address.
        Credentials = "CREDENTIALS",
        /// Requests without credentials from one address.
        Guests = "GUESTS",
        /// Submissions of all organizations that wait to be accepted.
        Intake = "INTAKE",
        /// Mails with invitations from one organization or to one address.
        InvitationMails = "INVITATION_MAILS",
        /// Live messages of one organization.
        LiveMessages = "LIVE_MESSAGES",
        /// Sign-in attempts to one account or from one address.
        Logins = "LOGINS",
        /// Mails of all organizations that wait to be composed.
        Mails = "MAILS",
        /// Passwords of all users that wait to be hashed.
        Passwords = "PASSWORDS",
        /// Registrations from one address.
        Registrations = "REGISTRATIONS",
        /// Requests that send no message, of one organization or user.
        Requests = "REQUESTS",
        /// Password reset mails to one address.
        ResetMails = "RESET_MAILS",
        /// Sandbox messages of one organization.
        SandboxMessages = "SANDBOX_MESSAGES",
        /// Concurrent checks of webhook endpoint URLs of one organization.
        WebhookChecks = "WEBHOOK_CHECKS",
        /// Test calls of one webhook endpoint.
        WebhookTests = "WEBHOOK_TESTS",
    }
}

impl Limit {
    /// Counts a refusal.
    pub fn count_refusal(self) {
        self.refusals().increment(1);
    }

    /// Registers the counters of refusals, so that they exist before the first.
    pub fn register_refusals() {
        for limit in Self::ALL {
            limit.refusals().increment(0);
        }
    }

    fn refusals(self) -> Counter {
        metrics::counter!("atumpan_requests_refused_total", "limit" => self.as_str())
    }
}

/// Rate limits of callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Requests without credentials, per address.
    pub guests: Rate,
    /// Requests that send no message, per organization.
    pub requests: Rate,
    /// Live messages, per organization.
    pub live_messages: Rate,
    /// Sandbox messages, per organization.
    pub sandbox_messages: Rate,
    /// Registrations, per address.
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

/// Rate limits. Clones share their counts.
#[derive(Clone, Default)]
pub struct Limits(Option<Arc<Counted>>);

struct Counted {
    limiter: Arc<dyn RateLimiter>,
    rates: Rates,
}

impl Limits {
    /// Creates limits that refuse nothing.
    pub fn off() -> Self {
        Self(None)
    }

    /// Creates limits over `limiter`. `rates` applies to organizations without their own limits.
    pub fn new(limiter: Arc<dyn RateLimiter>, rates: Rates) -> Self {
        Self(Some(Arc::new(Counted { limiter, rates })))
    }

    /// True if requests are counted.
    pub fn are_on(&self) -> bool {
        self.0.is_some()
    }

    /// Counts a request without credentials from that address.
    pub async fn guest(&self, address: IpAddr, rate_limit: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("guest:{address}");
        let bucket = Bucket { quota: Quota::Guests, key, rate: counted.rates.guests };
        counted.take(bucket, 1, rate_limit).await
    }

    /// Counts a registration from that address.
    pub async fn registration(
        &self,
        address: IpAddr,
        rate_limit: &RateLimitSlot,
    ) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("registration:{address}");
        let bucket = Bucket { quota: Quota::Registrations, key, rate: counted.rates.registrations };
        counted.take(bucket, 1, rate_limit).await
    }

    /// Counts a request of a user outside any organization.
    pub async fn user(&self, user: Id<User>, rate_limit: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("user:{user}");
        let bucket = Bucket { quota: Quota::Requests, key, rate: counted.rates.requests };
        counted.take(bucket, 1, rate_limit).await
    }

    /// Counts a request that sends no message.
    pub async fn request(&self, caller: &Caller, rate_limit: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(counted.requests(caller), 1, rate_limit).await
    }

    /// Counts `count` messages, all or none.
    pub async fn messages(
        &self,
        caller: &Caller,
        count: u32,
        rate_limit: &RateLimitSlot,
    ) -> Result<(), Error> {
        let Some(counted) = self.0.as_ref().filter(|_| count > 0) else { return Ok(()) };
        let bucket = if caller.is_sandbox() {
            counted.sandbox_messages(caller.organization, &caller.policy)
        } else {
            counted.live_messages(caller)
        };
        counted.take(bucket, count, rate_limit).await
    }

    /// Counts `count` simulated messages of a caller who was admitted as a sender of live ones, all or
    /// none. They cost nothing, so they count like those of sandbox keys.
    pub async fn rehearsal(
        &self,
        caller: &Caller,
        count: u32,
        rate_limit: &RateLimitSlot,
    ) -> Result<(), Error> {
        let Some(counted) = self.0.as_ref().filter(|_| count > 0) else { return Ok(()) };
        let bucket = counted.sandbox_messages(caller.organization, &caller.policy);
        counted.take(bucket, count, rate_limit).await
    }

    /// Counts `count` simulated messages of a campaign, all or none. Returns the time to wait if they
    /// are too many for now.
    pub async fn rehearsed_campaign(
        &self,
        organization: Id<Organization>,
        policy: &Policy,
        count: u32,
    ) -> Option<TimeDelta> {
        let counted = self.0.as_ref().filter(|_| count > 0)?;
        let Bucket { key, rate, .. } = counted.sandbox_messages(organization, policy);
        match counted.limiter.take(&key, rate, count).await {
            Ok(_) => None,
            Err(Exceeded { retry_after, .. }) => {
                Some(TimeDelta::from_std(retry_after).unwrap_or(TimeDelta::MAX))
            }
        }
    }

    /// Counts a text that a language model writes for the organization.
    pub async fn content(
        &self,
        organization: Id<Organization>,
        has_paid: bool,
    ) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(content(organization, has_paid), 1, &RateLimitSlot::default()).await
    }

    /// Returns the bucket of texts that a language model writes for the organization, without taking
    /// from it; `None` if requests are not counted.
    pub async fn content_rate_limit(
        &self,
        organization: Id<Organization>,
        has_paid: bool,
    ) -> Option<RateLimitStatus> {
        let counted = self.0.as_ref()?;
        Some(counted.look(content(organization, has_paid)).await)
    }

    /// Returns the buckets of the caller's organization, without taking from them; `None` if requests
    /// are not counted.
    pub async fn rate_limits(&self, caller: &Caller) -> Option<OrganizationRateLimits> {
        let counted = self.0.as_ref()?;
        let sandbox = counted.sandbox_messages(caller.organization, &caller.policy);
        Some(OrganizationRateLimits {
            live_messages: counted.look(counted.live_messages(caller)).await,
            sandbox_messages: counted.look(sandbox).await,
            requests: counted.look(counted.requests(caller)).await,
        })
    }
}

/// State of the buckets of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrganizationRateLimits {
    /// Bucket of live messages.
    pub live_messages: RateLimitStatus,
    /// Bucket of sandbox messages.
    pub sandbox_messages: RateLimitStatus,
    /// Bucket of requests that send no message.
    pub requests: RateLimitStatus,
}

/// Token bucket.
struct Bucket {
    quota: Quota,
    key: String,
    rate: Rate,
}

impl Counted {
    fn requests(&self, caller: &Caller) -> Bucket {
        let own = caller.policy.settings.limits.requests;
        Bucket {
            quota: Quota::Requests,
            key: format!("organization:{}", caller.organization),
            rate: own.map_or(self.rates.requests, RateLimit::rate),
        }
    }

    fn live_messages(&self, caller: &Caller) -> Bucket {
        let own = caller.policy.settings.limits.live;
        Bucket {
            quota: Quota::LiveMessages,
            key: format!("messages:live:{}", caller.organization),
            rate: own.map_or(self.rates.live_messages, RateLimit::rate),
        }
    }

    fn sandbox_messages(&self, organization: Id<Organization>, policy: &Policy) -> Bucket {
        let own = policy.settings.limits.sandbox;
        Bucket {
            quota: Quota::SandboxMessages,
            key: format!("messages:sandbox:{organization}"),
            rate: own.map_or(self.rates.sandbox_messages, RateLimit::rate),
        }
    }

    async fn take(
        &self,
        bucket: Bucket,
        tokens: u32,
        rate_limit: &RateLimitSlot,
    ) -> Result<(), Error> {
        let Bucket { quota, key, rate } = bucket;
        match self.limiter.take(&key, rate, tokens).await {
            Ok(level) => {
                rate_limit.note(RateLimitStatus { quota, rate, level, wait: None });
                Ok(())
            }
            Err(Exceeded { retry_after, level }) => {
                rate_limit.note(RateLimitStatus { quota, rate, level, wait: Some(retry_after) });
                quota.limit().count_refusal();
                let wait = TimeDelta::from_std(retry_after).unwrap_or(TimeDelta::MAX);
                Err(Error::RateLimited(wait))
            }
        }
    }

    async fn look(&self, bucket: Bucket) -> RateLimitStatus {
        let Bucket { quota, key, rate } = bucket;
        let level = self.limiter.level(&key, rate).await;
        RateLimitStatus { quota, rate, level, wait: None }
    }
}

/// Returns the bucket of texts. It is the same before and after the first payment, so texts stay
/// counted.
fn content(organization: Id<Organization>, has_paid: bool) -> Bucket {
    let (free, paid) = DAILY_TEXTS;
    let rate = Rate::per_day(if has_paid { paid } else { free });
    Bucket { quota: Quota::Content, key: format!("content:{organization}"), rate }
}

/// Returns the number of messages that these bodies count as.
pub fn counted_messages<'b>(bodies: impl Iterator<Item = &'b str>) -> u32 {
    let pieces = bodies.map(|body| body.len().div_ceil(MESSAGE_PIECE).max(1)).sum::<usize>();
    u32::try_from(pieces).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
