//! Providers: who carries messages, where to, and how they may answer.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    channel::Channel,
    country::Country,
    delivery::{DeliveryEvent, Failure, FailureCode},
    id::Id,
    message::Message,
};

/// A declared provider and what it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The operator's name for it, unique in the installation.
    pub name: String,
    /// The channel it carries.
    pub channel: Channel,
    /// Where it may be used.
    pub routes: Vec<Route>,
    /// How long to wait for its report, or to doubt its answer, before asking it or moving on.
    pub patience: TimeDelta,
}

/// A country that a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The country; `None` is any.
    pub country: Option<Country>,
    /// Routes of a lower number are tried first.
    pub priority: u16,
}

/// The name of the provider that serves every sandbox message.
pub const SANDBOX: &str = "sandbox";

/// The providers to try for a message to `country` over `channel`, best first: those that name the
/// country before those that take any, then by priority, then in the order of declaration.
pub fn route(providers: &[Provider], channel: Channel, country: Country) -> Vec<&Provider> {
    let mut ranked: Vec<_> = providers
        .iter()
        .filter(|provider| provider.channel == channel)
        .filter_map(|provider| Some((provider.rank(country)?, provider)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, provider)| provider).collect()
}

impl Provider {
    fn rank(&self, country: Country) -> Option<(bool, u16)> {
        let serving = |route: &&Route| route.country.is_none_or(|served| served == country);
        self.routes
            .iter()
            .filter(serving)
            .map(|route| (route.country.is_none(), route.priority))
            .min()
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

/// One handing over of a message to one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// The provider's name.
    pub provider: String,
    /// When the call began.
    pub started_at: DateTime<Utc>,
    /// When it had an end.
    pub ended_at: DateTime<Utc>,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// The provider's identifier of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Why it was not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<FailureCode>,
    /// The provider's own code for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_code: Option<String>,
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
    /// The record of a call to `provider` that came to `outcome`.
    pub fn record(
        provider: &str,
        started_at: DateTime<Utc>,
        ended_at: DateTime<Utc>,
        outcome: &Outcome,
    ) -> Self {
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
            provider: provider.to_owned(),
            started_at,
            ended_at,
            outcome: kind,
            reference,
            error_code: failure.map(|failure| failure.code),
            vendor_code: failure.and_then(|failure| failure.vendor_code.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn provider(name: &str, channel: Channel, routes: &[(Option<&str>, u16)]) -> Provider {
        let route = |(country, priority): &(Option<&str>, u16)| Route {
            country: country.map(|country| country.parse().unwrap()),
            priority: *priority,
        };
        Provider {
            name: name.into(),
            channel,
            routes: routes.iter().map(route).collect(),
            patience: TimeDelta::minutes(10),
        }
    }

    fn names(providers: &[Provider], country: &str) -> Vec<String> {
        let country = country.parse().unwrap();
        route(providers, Channel::Sms, country).iter().map(|found| found.name.clone()).collect()
    }

    #[test]
    fn a_route_that_names_the_country_comes_before_any_then_priority_decides() {
        let providers = [
            provider("anywhere", Channel::Sms, &[(None, 1)]),
            provider("second", Channel::Sms, &[(Some("GH"), 20)]),
            provider("first", Channel::Sms, &[(None, 5), (Some("GH"), 10)]),
            provider("mail", Channel::Email, &[(None, 1)]),
            provider("kenya", Channel::Sms, &[(Some("KE"), 1)]),
        ];

        assert_eq!(names(&providers, "GH"), ["first", "second", "anywhere"]);
        assert_eq!(names(&providers, "NG"), ["anywhere", "first"]);
    }

    proptest! {
        #[test]
        fn every_chosen_provider_serves_the_country_and_is_chosen_once(
            routes in prop::collection::vec(
                prop::collection::vec((prop::option::of(0..3_usize), 0..4_u16), 0..4), 0..8),
            wanted in 0..3_usize,
        ) {
            const COUNTRIES: [&str; 3] = ["GH", "NG", "KE"];
            let providers: Vec<_> = routes.iter().enumerate().map(|(index, routes)| {
                let routes: Vec<_> = routes.iter()
                    .map(|(country, priority)| (country.map(|at| COUNTRIES[at]), *priority))
                    .collect();
                provider(&index.to_string(), Channel::Sms, &routes)
            }).collect();

            let mut chosen = names(&providers, COUNTRIES[wanted]);
            let serving = routes.iter()
                .filter(|routes| routes.iter().any(|(country, _)| country.is_none_or(|at| at == wanted)))
                .count();
            prop_assert_eq!(chosen.len(), serving);
            chosen.sort();
            chosen.dedup();
            prop_assert_eq!(chosen.len(), serving);
        }
    }
}
