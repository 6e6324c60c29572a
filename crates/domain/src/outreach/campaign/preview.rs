//! Forecast of a campaign, if it were sent now.

use std::cmp::Reverse;

use crate::{
    audience::contact::Contact,
    content::compliance::Assessment,
    messaging::{delivery::Failure, message::Draft},
    outreach::campaign::{CampaignMessage, ReasonCount, RecipientReason},
    shared::{id::Id, money::Money},
};

/// A forecast of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignPreview {
    /// Totals for all contacts.
    pub total: CampaignTotal,
    /// Contacts that would get nothing by the reason, most contacts first.
    pub by_reason: Vec<ReasonCount>,
    /// True if the campaign is promotion, to which its recipients should have consented.
    pub is_promotion: bool,
    /// True if the totals are projected from some of the contacts.
    pub is_estimate: bool,
    /// True if it is rehearsed, so that it needs no approval and costs nothing.
    pub is_sandbox: bool,
    /// Assessment of the risk of its text.
    pub assessment: Assessment,
    /// Some of its messages.
    pub samples: Vec<SampleMessage>,
}

/// Totals of the messages to some contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CampaignTotal {
    /// Number of contacts.
    pub audience: u64,
    /// Number of contacts without an address for the channel.
    pub unreachable: u64,
    /// Number of other contacts that get nothing: they lack fields that the text needs, are
    /// suppressed, or are reached by no provider.
    pub refused: u64,
    /// Number of contacts without a recorded consent.
    pub without_consent: u64,
    /// Number of segments of their messages.
    pub segments: u64,
    /// Cost of the messages.
    pub cost: Money,
}

/// Contacts that would get nothing, counted by the reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CampaignRefusals(Vec<ReasonCount>);

/// A message as a contact would get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleMessage {
    /// Contact that it is for.
    pub contact: Id<Contact>,
    /// Draft of the message.
    pub draft: Draft,
    /// Cost of the message.
    pub cost: Money,
    /// Reason for which it is not sent; `None` if it is.
    pub failure: Option<Failure>,
}

/// Number of messages in a preview.
pub const SAMPLES: usize = 3;
/// Maximum number of contacts for an exact preview. Larger audiences are sampled.
pub const PREVIEWED_EXACTLY: u64 = 2_000;

impl CampaignPreview {
    /// Returns the number of contacts without a recorded consent; `None` if the campaign is no promotion.
    pub fn without_consent(&self) -> Option<u64> {
        self.is_promotion.then_some(self.total.without_consent)
    }
}

impl CampaignTotal {
    /// Returns the totals of contacts of whom only the consent is known.
    pub fn of_consents(contacts: &[Contact]) -> Self {
        let mut total = Self::default();
        for contact in contacts {
            total.audience += 1;
            total.note_consent(contact);
        }
        total
    }

    /// Counts a contact without a recorded consent.
    pub fn note_consent(&mut self, contact: &Contact) {
        self.without_consent += u64::from(contact.consent.is_none());
    }

    /// Adds the message for one contact and its cost. Suppressed contacts cost nothing.
    pub fn add(&mut self, message: &CampaignMessage, cost: Option<Money>) {
        self.audience += 1;
        match (message, cost) {
            (CampaignMessage::Unreachable, _) => self.unreachable += 1,
            (CampaignMessage::Ready(draft), Some(cost)) => {
                self.segments += u64::from(draft.segments);
                self.cost += cost;
            }
            _ => self.refused += 1,
        }
    }

    /// Returns the totals for `audience` contacts, assuming that the others are like these.
    #[must_use]
    pub fn projected_on(self, audience: u64) -> Self {
        let scaled = |value: u64| projected(value, self.audience, audience);
        let cost = scaled(self.cost.micros().unsigned_abs());
        Self {
            audience,
            unreachable: scaled(self.unreachable),
            refused: scaled(self.refused),
            without_consent: scaled(self.without_consent),
            segments: scaled(self.segments),
            cost: Money::from_micros(i64::try_from(cost).unwrap_or(i64::MAX)),
        }
    }
}

impl CampaignRefusals {
    /// Adds a message that would not be sent, with its failure if it has one.
    pub fn add(&mut self, message: &CampaignMessage, failure: Option<&Failure>) {
        let reason = match (message, failure) {
            (CampaignMessage::Unreachable, _) => RecipientReason::NoAddress,
            (_, Some(failure)) => RecipientReason::Failure(failure.code),
            (_, None) => return,
        };
        match self.0.iter_mut().find(|known| known.reason == reason) {
            Some(known) => known.count += 1,
            None => self.0.push(ReasonCount { reason, count: 1 }),
        }
    }

    /// Returns the numbers, most contacts first, projected from `seen` contacts on `audience`.
    pub fn projected_on(self, audience: u64, seen: u64) -> Vec<ReasonCount> {
        let mut counts = self.0;
        for counted in &mut counts {
            counted.count = projected(counted.count, seen, audience);
        }
        counts.sort_by_key(|counted| (Reverse(counted.count), counted.reason.as_str()));
        counts
    }
}

/// Returns a number of `seen` contacts as it would be of `audience` contacts.
fn projected(number: u64, seen: u64, audience: u64) -> u64 {
    let seen = u128::from(seen);
    if seen == 0 {
        return 0;
    }
    let projected = (u128::from(number) * u128::from(audience) + seen / 2) / seen;
    u64::try_from(projected).unwrap_or(u64::MAX)
}
