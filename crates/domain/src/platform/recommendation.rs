//! Recommendations for an organization, drawn from its figures, newest messages, events, API keys,
//! wallet and webhook endpoints. Each kind of recommendation is a file; [`recommend`] asks all of
//! them.
//!
//! ```
//! use domain::platform::recommendation::RecommendationCode;
//!
//! assert_eq!(RecommendationCode::WalletRunsDry.metric(), "daysLeft");
//! ```

mod api_keys;
mod channels;
mod characters;
mod events;
mod recipients;
mod wallet;
mod webhooks;

use std::cmp::Reverse;

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

/// Maximum number of recommendations for an organization.
const MOST: usize = 4;
/// Number of newest messages that are examined.
pub const MESSAGES_LOOKED_AT: usize = 1_000;
/// Number of days whose messages are examined.
pub const DAYS_LOOKED_AT: u64 = 30;
/// Time for which recommendations are kept before they are made anew.
pub const LAST: TimeDelta = TimeDelta::hours(1);

/// An improvement that an organization could make.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// Kind of the recommendation.
    pub code: RecommendationCode,
    /// Short title.
    pub title: String,
    /// Message of some sentences. It names no recipients, since it may be kept after they are erased.
    pub message: String,
    /// Figure that it is based on, counted as [`RecommendationCode::metric`] says.
    pub value: f64,
    /// Approximate number of messages in thirty days that are concerned: those that would be
    /// delivered, or that the money would pay for. Recommendations are ordered by it, the largest
    /// first.
    pub messages_at_stake: u64,
}

crate::closed_list! {
    /// Kind of a recommendation. The earlier of two kinds that concern as many messages comes first.
    pub enum RecommendationCode {
        /// The wallet is soon empty.
        WalletRunsDry = "WALLET_RUNS_DRY",
        /// Another channel delivers a larger share of its messages.
        WorseChannel = "WORSE_CHANNEL",
        /// An event whose messages fail has no other channel.
        EventWithoutFallback = "EVENT_WITHOUT_FALLBACK",
        /// Calls of a webhook endpoint fail.
        WebhookFails = "WEBHOOK_FAILS",
        /// An API key expires soon.
        ApiKeyExpires = "API_KEY_EXPIRES",
        /// Messages to some recipients always fail.
        UnreachableRecipients = "UNREACHABLE_RECIPIENTS",
        /// Texts have characters that make them more expensive.
        CostlyCharacters = "COSTLY_CHARACTERS",
    }
    impl FromStr else "is not a known recommendation";
}

impl RecommendationCode {
    /// Returns the name of the unit that [`Recommendation::value`] counts.
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

/// All facts that recommendations are based on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Present time.
    pub now: DateTime<Utc>,
    /// Counts of the live messages of the last [`DAYS_LOOKED_AT`] days, by day.
    pub counts: Vec<Count>,
    /// The live messages of these days among the newest [`MESSAGES_LOOKED_AT`].
    pub newest: Vec<NewMessage>,
    /// Balance of the wallet.
    pub balance: Money,
    /// API keys that are not revoked.
    pub api_keys: Vec<ApiKey>,
    /// Events of the organization.
    pub events: Vec<Event>,
    /// Webhook endpoints of the organization.
    pub webhook_endpoints: Vec<WebhookEndpoint>,
}

/// The examined fields of one of the newest messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Channel of the message.
    pub channel: Channel,
    /// Recipient of the message.
    pub recipient: Address,
    /// Template of its text.
    pub template: Option<Id<Template>>,
    /// True if it belongs to a campaign.
    pub is_of_campaign: bool,
    /// Status of the message.
    pub status: Status,
    /// Reason for its failure or delay.
    pub failure: Option<FailureCode>,
    /// Number of segments.
    pub segments: u16,
    /// Amount charged for the message.
    pub cost: Money,
    /// Its text; `None` unless it is an SMS of several segments.
    pub long_text: Option<String>,
}

/// Returns the recommendations that follow from the facts, the most valuable first.
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
    /// Returns the figures of all messages of the days.
    fn total(&self) -> Figures {
        Figures::of(&self.counts)
    }

    fn of_channel(&self, channel: Channel) -> Figures {
        Figures::of(self.counts.iter().filter(|count| count.channel == channel))
    }

    /// Returns the amount paid in the last `days` days, including the present one.
    fn spent_in(&self, days: u64) -> Money {
        let since = first_of(self.now.date_naive(), days);
        self.counts.iter().filter(|count| count.since >= since).map(Count::spend).sum()
    }

    /// Projects a number among the newest messages on all messages of the days.
    fn scaled(&self, among_newest: u64) -> u64 {
        let looked_at = u64::try_from(self.newest.len()).unwrap_or(u64::MAX).max(1);
        share_of(self.total().sent.max(looked_at), among_newest, looked_at)
    }

    /// Returns the number of messages sent in the days that remain after `days_left` of them.
    fn sent_after(&self, days_left: u64) -> u64 {
        let days_without = DAYS_LOOKED_AT.saturating_sub(days_left);
        share_of(self.total().sent, days_without, DAYS_LOOKED_AT)
    }
}

/// Returns `amount × part ÷ whole`, rounded down.
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
