//! What an organization could do better, as far as its figures, its newest messages, its events, its keys,
//! its wallet and its webhook endpoints tell. Each kind of recommendation is a file; [`recommend`] asks all of them.

mod api_keys;
mod channels;
mod characters;
mod events;
mod recipients;
mod wallet;
mod webhooks;

use std::{cmp::Reverse, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    content::template::Template,
    identity::api_key::ApiKey,
    messaging::delivery::{FailureCode, Status},
    outreach::event::Event,
    platform::analytics::{Count, Figures, first_of},
    shared::{address::Address, channel::Channel, id::Id, money::Money},
    webhooks::webhook::WebhookEndpoint,
};

/// How many recommendations an organization gets at the most.
const MOST: usize = 4;
/// How many of the newest messages are looked at.
pub const MESSAGES_LOOKED_AT: usize = 1_000;
/// Of how many days messages are looked at.
pub const DAYS_LOOKED_AT: u64 = 30;
/// For how long recommendations are kept before they are made anew.
pub const LAST: TimeDelta = TimeDelta::hours(1);

/// Something that an organization could do better.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// What kind it is.
    pub code: RecommendationCode,
    /// In some words.
    pub title: String,
    /// In some sentences. Names nobody who receives messages: it may be kept when they are forgotten.
    pub message: String,
    /// The figure that makes it; [`RecommendationCode::metric`] says what it counts.
    pub value: f64,
    /// How many messages of thirty days are concerned, about: those that would reach somebody, or that
    /// could be sent for the money. The scale by which the most valuable one comes first.
    pub messages_at_stake: u64,
}

/// The kinds of recommendations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecommendationCode {
    /// The wallet is soon empty.
    WalletRunsDry,
    /// Another channel delivers a larger share of its messages.
    WorseChannel,
    /// An event whose messages fail has no other channel.
    EventWithoutFallback,
    /// An API key soon ceases to work.
    ApiKeyExpires,
    /// Somebody is written to in vain.
    UnreachableRecipients,
    /// Texts have characters that make them dearer.
    CostlyCharacters,
    /// Calls of a webhook endpoint fail.
    WebhookFails,
}

/// There is no such kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a known recommendation")]
pub struct UnknownRecommendation;

impl RecommendationCode {
    /// Every kind. Of two that concern as many messages the first one here comes first.
    pub const ALL: [Self; 7] = [
        Self::WalletRunsDry,
        Self::WorseChannel,
        Self::EventWithoutFallback,
        Self::WebhookFails,
        Self::ApiKeyExpires,
        Self::UnreachableRecipients,
        Self::CostlyCharacters,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WalletRunsDry => "WALLET_RUNS_DRY",
            Self::WorseChannel => "WORSE_CHANNEL",
            Self::EventWithoutFallback => "EVENT_WITHOUT_FALLBACK",
            Self::ApiKeyExpires => "API_KEY_EXPIRES",
            Self::UnreachableRecipients => "UNREACHABLE_RECIPIENTS",
            Self::CostlyCharacters => "COSTLY_CHARACTERS",
            Self::WebhookFails => "WEBHOOK_FAILS",
        }
    }

    /// What [`Recommendation::value`] counts.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::WalletRunsDry | Self::ApiKeyExpires => "daysLeft",
            Self::WorseChannel => "deliveryRate",
            Self::EventWithoutFallback => "failedMessages",
            Self::UnreachableRecipients => "recipients",
            Self::CostlyCharacters => "extraCost",
            Self::WebhookFails => "hoursFailing",
        }
    }
}

impl FromStr for RecommendationCode {
    type Err = UnknownRecommendation;

    fn from_str(text: &str) -> Result<Self, UnknownRecommendation> {
        Self::ALL.into_iter().find(|code| code.as_str() == text).ok_or(UnknownRecommendation)
    }
}

/// All that recommendations are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The present.
    pub now: DateTime<Utc>,
    /// The live messages of the last [`DAYS_LOOKED_AT`] days, by the day.
    pub counts: Vec<Count>,
    /// The newest live messages of these days, of the newest [`MESSAGES_LOOKED_AT`].
    pub newest: Vec<NewMessage>,
    /// What the wallet holds.
    pub balance: Money,
    /// The keys that are not revoked.
    pub api_keys: Vec<ApiKey>,
    /// The events.
    pub events: Vec<Event>,
    /// The webhook endpoints.
    pub webhook_endpoints: Vec<WebhookEndpoint>,
}

/// What is looked at of one of the newest messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// How it travels.
    pub channel: Channel,
    /// Who receives it.
    pub recipient: Address,
    /// The template that gave its text.
    pub template: Option<Id<Template>>,
    /// Whether it belongs to a campaign.
    pub is_of_campaign: bool,
    /// How far it has come.
    pub status: Status,
    /// Why it failed, or what holds it up.
    pub failure: Option<FailureCode>,
    /// How many segments it has.
    pub segments: u16,
    /// What was asked for it.
    pub cost: Money,
    /// Its text, if it is an SMS of several segments.
    pub long_text: Option<String>,
}

/// The recommendations that follow, the most valuable one first.
pub fn recommend(facts: &Facts) -> Vec<Recommendation> {
    let mut found: Vec<_> = RecommendationCode::ALL
        .into_iter()
        .filter_map(|code| match code {
            RecommendationCode::WalletRunsDry => wallet::recommend(facts),
            RecommendationCode::WorseChannel => channels::recommend(facts),
            RecommendationCode::EventWithoutFallback => events::recommend(facts),
            RecommendationCode::ApiKeyExpires => api_keys::recommend(facts),
            RecommendationCode::UnreachableRecipients => recipients::recommend(facts),
            RecommendationCode::CostlyCharacters => characters::recommend(facts),
            RecommendationCode::WebhookFails => webhooks::recommend(facts),
        })
        .collect();
    found.sort_by_key(|recommendation| Reverse(recommendation.messages_at_stake));
    found.truncate(MOST);
    found
}

impl Facts {
    /// What the messages of the days come to.
    fn total(&self) -> Figures {
        Figures::of(&self.counts)
    }

    fn of_channel(&self, channel: Channel) -> Figures {
        Figures::of(self.counts.iter().filter(|count| count.channel == channel))
    }

    /// What was paid in the last so many days, the present one included.
    fn spent_in(&self, days: u64) -> Money {
        let since = first_of(self.now.date_naive(), days);
        self.counts.iter().filter(|count| count.since >= since).map(Count::spend).sum()
    }

    /// How many of all messages of the days are like so many of the newest.
    fn scaled(&self, among_newest: u64) -> u64 {
        let looked_at = u64::try_from(self.newest.len()).unwrap_or(u64::MAX).max(1);
        share_of(self.total().sent.max(looked_at), among_newest, looked_at)
    }

    /// How many messages are sent in what is left of the days once `days_left` of them are over.
    fn sent_after(&self, days_left: u64) -> u64 {
        let days_without = DAYS_LOOKED_AT.saturating_sub(days_left);
        share_of(self.total().sent, days_without, DAYS_LOOKED_AT)
    }
}

/// `amount × part ÷ whole`, rounded down.
fn share_of(amount: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(amount) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

fn days(count: u64) -> String {
    match count {
        0 => "less than a day".to_owned(),
        1 => "one day".to_owned(),
        _ => format!("{count} days"),
    }
}

#[cfg(test)]
mod tests;
