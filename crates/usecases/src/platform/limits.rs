//! How much one caller may do.

mod slot;

use std::{net::IpAddr, sync::Arc};

use chrono::TimeDelta;
use domain::{
    identity::{
        caller::Caller,
        organization::{DAILY_TEXTS, Organization, RateLimit},
        user::User,
    },
    shared::{id::Id, rate::Rate},
};
use ports::platform::rate_limits::{Exceeded, RateLimiter};

pub use self::slot::{Quota, RateLimitSlot, Standing};
use crate::Error;

/// A message counts one for every started piece of that many bytes.
const MESSAGE_PIECE: usize = 16 * 1_024;

/// What a request is refused by when there were too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Wrong proofs of callbacks, from one address.
    CallbackProofs,
    /// Texts that a language model writes, at the same time or in a day, of one organization or of all.
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
    /// URLs of webhook endpoints that are checked at the same time, of one organization.
    WebhookChecks,
    /// Test calls of one webhook endpoint.
    WebhookTests,
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
            Self::WebhookChecks => "WEBHOOK_CHECKS",
            Self::WebhookTests => "WEBHOOK_TESTS",
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
    pub async fn guest(&self, address: IpAddr, tally: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("guest:{address}");
        let bucket = Bucket { quota: Quota::Guests, key, rate: counted.rates.guests };
        counted.take(bucket, 1, tally).await
    }

    /// Counts a registration from that address.
    pub async fn registration(&self, address: IpAddr, tally: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("registration:{address}");
        let bucket = Bucket { quota: Quota::Registrations, key, rate: counted.rates.registrations };
        counted.take(bucket, 1, tally).await
    }

    /// Counts a request of a user outside any organization.
    pub async fn user(&self, user: Id<User>, tally: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        let key = format!("user:{user}");
        let bucket = Bucket { quota: Quota::Requests, key, rate: counted.rates.requests };
        counted.take(bucket, 1, tally).await
    }

    /// Counts a request that sends no message.
    pub async fn request(&self, caller: &Caller, tally: &RateLimitSlot) -> Result<(), Error> {
        let Some(counted) = &self.0 else { return Ok(()) };
        counted.take(counted.requests(caller), 1, tally).await
    }

    /// Counts so many messages, all or none.
    pub async fn messages(
        &self,
        caller: &Caller,
        count: u32,
        tally: &RateLimitSlot,
    ) -> Result<(), Error> {
        let Some(counted) = self.0.as_ref().filter(|_| count > 0) else { return Ok(()) };
        let bucket = if caller.is_sandbox() {
            counted.sandbox_messages(caller)
        } else {
            counted.live_messages(caller)
        };
        counted.take(bucket, count, tally).await
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

    /// The number of texts that a language model still writes for the organization now; none if nothing is
    /// counted.
    pub async fn content_standing(
        &self,
        organization: Id<Organization>,
        has_paid: bool,
    ) -> Option<Standing> {
        let counted = self.0.as_ref()?;
        Some(counted.look(content(organization, has_paid)).await)
    }

    /// How the buckets of the caller's organization stand; none if nothing is counted. Takes nothing.
    pub async fn standings(&self, caller: &Caller) -> Option<OrganizationStandings> {
        let counted = self.0.as_ref()?;
        Some(OrganizationStandings {
            live_messages: counted.look(counted.live_messages(caller)).await,
            sandbox_messages: counted.look(counted.sandbox_messages(caller)).await,
            requests: counted.look(counted.requests(caller)).await,
        })
    }
}

/// How the buckets of an organization stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrganizationStandings {
    /// Of live messages.
    pub live_messages: Standing,
    /// Of messages of the sandbox.
    pub sandbox_messages: Standing,
    /// Of requests that send no message.
    pub requests: Standing,
}

/// What tokens are taken from.
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

    fn sandbox_messages(&self, caller: &Caller) -> Bucket {
        let own = caller.policy.settings.limits.sandbox;
        Bucket {
            quota: Quota::SandboxMessages,
            key: format!("messages:sandbox:{}", caller.organization),
            rate: own.map_or(self.rates.sandbox_messages, RateLimit::rate),
        }
    }

    async fn take(&self, bucket: Bucket, tokens: u32, tally: &RateLimitSlot) -> Result<(), Error> {
        let Bucket { quota, key, rate } = bucket;
        match self.limiter.take(&key, rate, tokens).await {
            Ok(level) => {
                tally.note(Standing { quota, rate, level, wait: None });
                Ok(())
            }
            Err(Exceeded { retry_after, level }) => {
                tally.note(Standing { quota, rate, level, wait: Some(retry_after) });
                quota.limit().count_refusal();
                let wait = TimeDelta::from_std(retry_after).unwrap_or(TimeDelta::MAX);
                Err(Error::RateLimited(wait))
            }
        }
    }

    async fn look(&self, bucket: Bucket) -> Standing {
        let Bucket { quota, key, rate } = bucket;
        let level = self.limiter.level(&key, rate).await;
        Standing { quota, rate, level, wait: None }
    }
}

/// One bucket before and after the first payment: what was written stays counted.
fn content(organization: Id<Organization>, has_paid: bool) -> Bucket {
    let (free, paid) = DAILY_TEXTS;
    let rate = Rate::per_day(if has_paid { paid } else { free });
    Bucket { quota: Quota::Content, key: format!("content:{organization}"), rate }
}

/// How many messages those with these bodies count as.
pub fn counted_messages<'b>(bodies: impl Iterator<Item = &'b str>) -> u32 {
    let pieces = bodies.map(|body| body.len().div_ceil(MESSAGE_PIECE).max(1)).sum::<usize>();
    u32::try_from(pieces).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
