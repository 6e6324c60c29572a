//! Providers: who carries messages, where to, and how they may answer.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    channel::Channel,
    country::Country,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    message::Message,
    standing::{Rank, Standing},
};

/// A declared provider and what it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The operator's name for it, unique in the installation.
    pub name: String,
    /// The vendor, as it is named in declarations.
    pub kind: &'static str,
    /// The channel it carries.
    pub channel: Channel,
    /// Where it may be used.
    pub routes: Vec<Route>,
    /// How long to wait for its report, or to doubt its answer, before asking it or moving on.
    pub patience: TimeDelta,
    /// What follows when it never reports on a message that it took.
    pub without_report: WithoutReport,
}

/// What follows when a provider never reports on a message that it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WithoutReport {
    /// The message stays sent, and says that no report came.
    #[default]
    Noted,
    /// The message fails and is refunded.
    Refunded,
    /// Nothing: the provider makes no reports, and none is waited for.
    Expected,
}

/// A country that a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The country; `None` is any. Numbers of no country must be named.
    pub country: Option<Country>,
    /// Routes of a lower number are tried first.
    pub priority: u16,
}

/// The name of the provider that serves every sandbox message.
pub const SANDBOX: &str = "sandbox";

/// A provider to try for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'p> {
    /// The provider.
    pub provider: &'p Provider,
    /// Whether the message would probe it: only one message may at a time.
    pub is_probe: bool,
}

/// The providers to try for a message to `country` over `channel`, best first.
///
/// Those that name the country come before those that take any, then priority decides, raised by
/// what is held against a provider, then the order of declaration. A provider whose breaker is open
/// is no candidate while the breaker of another is closed. When all are open, those whose rest is
/// over are candidates for a probe.
pub fn route(
    providers: &[Provider],
    standing: impl Fn(&Provider) -> Standing,
    channel: Channel,
    country: Country,
    now: DateTime<Utc>,
) -> Vec<Candidate<'_>> {
    let mut ranked: Vec<_> = providers
        .iter()
        .filter(|provider| provider.channel == channel)
        .filter_map(|provider| {
            let standing = standing(provider);
            Some((provider.rank(country, standing)?, standing, provider))
        })
        .collect();
    ranked.sort_by_key(|(rank, ..)| *rank);

    let open_to_all = ranked.iter().filter(|(_, standing, _)| standing.is_open_to_all());
    let mut candidates: Vec<_> =
        open_to_all.map(|(.., provider)| Candidate { provider, is_probe: false }).collect();
    if candidates.is_empty() {
        let due = ranked.iter().filter(|(_, standing, _)| standing.is_probe_due(now));
        candidates.extend(due.map(|(.., provider)| Candidate { provider, is_probe: true }));
    }
    candidates
}

/// Whether any provider is declared for `country` over `channel`, in order or not.
pub fn serves(providers: &[Provider], channel: Channel, country: Country) -> bool {
    let serves = |provider: &Provider| provider.rank(country, Standing::default()).is_some();
    providers.iter().any(|provider| provider.channel == channel && serves(provider))
}

/// A provider whose rest is over and that no candidate is: one message may probe it before it goes
/// on to the candidates.
pub fn probe_due(
    providers: &[Provider],
    standing: impl Fn(&Provider) -> Standing,
    channel: Channel,
    country: Country,
    now: DateTime<Utc>,
) -> Option<&Provider> {
    providers
        .iter()
        .filter(|provider| provider.channel == channel)
        .filter(|provider| standing(provider).is_probe_due(now))
        .find(|provider| provider.rank(country, Standing::default()).is_some())
}

impl Provider {
    fn rank(&self, country: Country, standing: Standing) -> Option<Rank> {
        let serving = |route: &&Route| country.is_covered_by(route.country);
        let rank = |route: &Route| standing.rank(route.country.is_none(), route.priority);
        self.routes.iter().filter(serving).map(rank).min()
    }
}

/// What came of handing a message to a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The provider took it.
    Accepted {
        /// The provider's identifier of the message, where it gives one.
        reference: Option<String>,
        /// What may still be heard of the message.
        follow_up: FollowUp,
    },
    /// The provider will never take it, and neither will another: a bad number, a blocked text.
    Rejected(Failure),
    /// The provider certainly did not take it; another may.
    NotAccepted {
        /// Why not.
        failure: Failure,
        /// How long the provider asked to be left alone.
        retry_after: Option<TimeDelta>,
    },
    /// The message may or may not be on its way.
    Unknown(Failure),
}

/// What may be heard of a message after a provider has taken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    /// Nothing: `SENT` is the last that anybody can know.
    Nothing,
    /// A report may come, and the provider can be asked.
    Report,
}

/// A provider's word on a message it has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The message, by our own identifier.
    pub message: Id<Message>,
    /// Who reports; `None` is whoever holds the message.
    pub provider: Option<String>,
    /// What happened to it.
    pub event: DeliveryEvent,
}

/// What a provider says when it is asked for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookUp {
    /// This has happened to it.
    Found(DeliveryEvent),
    /// It is known, and nothing more can be said yet.
    Waiting,
    /// The provider never got it.
    NotFound,
    /// The provider cannot be asked, or did not answer.
    Unavailable,
}

/// What a look at a provider's account showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Whether it can be used.
    pub status: CheckStatus,
    /// What it showed, for people. Never holds a credential.
    pub message: String,
}

/// Whether a provider can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStatus {
    /// It answers, and knows us.
    Up,
    /// It answers, but something will keep messages from being sent soon, such as an empty account.
    Degraded,
    /// It does not answer, or does not know us.
    Down,
}

impl CheckStatus {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Degraded => "DEGRADED",
            Self::Down => "DOWN",
        }
    }
}

/// One handing over of a message to one provider. It is kept before it begins, so that a crash
/// leaves a trace of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The provider's name.
    pub provider: String,
    /// When the call was about to begin.
    pub started_at: DateTime<Utc>,
    /// When it had an end; `None` while it has not, or if nobody lived to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<AttemptOutcome>,
    /// The provider's identifier of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Why it was not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<FailureCode>,
    /// The provider's own code for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_code: Option<String>,
    /// How many attempts before this one are no longer kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The kinds of [`Outcome`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AttemptOutcome {
    /// [`Outcome::Accepted`].
    Accepted,
    /// [`Outcome::Rejected`].
    Rejected,
    /// [`Outcome::NotAccepted`].
    NotAccepted,
    /// [`Outcome::Unknown`].
    Unknown,
}

impl AttemptOutcome {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "ACCEPTED",
            Self::Rejected => "REJECTED",
            Self::NotAccepted => "NOT_ACCEPTED",
            Self::Unknown => "UNKNOWN",
        }
    }
}

impl Attempt {
    /// A call to `provider` that is about to begin.
    pub fn start(provider: &str, at: DateTime<Utc>) -> Self {
        Self {
            provider: provider.to_owned(),
            started_at: at,
            ended_at: None,
            outcome: None,
            reference: None,
            error_code: None,
            vendor_code: None,
            omitted: 0,
        }
    }

    /// Whether it has not ended, as far as anybody knows.
    pub const fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }

    /// Whether the provider has, or may have, the message.
    pub const fn may_have_it(&self) -> bool {
        matches!(self.outcome, None | Some(AttemptOutcome::Accepted | AttemptOutcome::Unknown))
    }

    /// This call once it came to `outcome`.
    #[must_use]
    pub fn end(self, at: DateTime<Utc>, outcome: &Outcome) -> Self {
        let (kind, reference, failure) = match outcome {
            Outcome::Accepted { reference, .. } => {
                (AttemptOutcome::Accepted, reference.clone(), None)
            }
            Outcome::Rejected(failure) => (AttemptOutcome::Rejected, None, Some(failure)),
            Outcome::NotAccepted { failure, .. } => {
                (AttemptOutcome::NotAccepted, None, Some(failure))
            }
            Outcome::Unknown(failure) => (AttemptOutcome::Unknown, None, Some(failure)),
        };
        Self {
            ended_at: Some(at),
            outcome: Some(kind),
            reference,
            error_code: failure.map(|failure| failure.code),
            vendor_code: failure.and_then(|failure| failure.vendor_code.clone()),
            ..self
        }
    }

    /// This call, of which nobody lived to see the end.
    #[must_use]
    pub fn abandon(self, at: DateTime<Utc>) -> Self {
        let failure = Failure::new(FailureCode::UnknownOutcome, "the process ended");
        self.end(at, &Outcome::Unknown(failure))
    }
}

#[cfg(test)]
mod tests;
