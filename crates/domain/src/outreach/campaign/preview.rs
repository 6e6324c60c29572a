//! What a campaign would come to, if it were sent now.

use crate::{
    audience::contact::Contact,
    content::compliance::Assessment,
    messaging::{delivery::Failure, message::Draft},
    outreach::campaign::CampaignMessage,
    shared::{id::Id, money::Money},
};

/// What a campaign would come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignPreview {
    /// What it comes to altogether.
    pub total: CampaignTotal,
    /// Whether that is projected from some of the contacts.
    pub is_estimate: bool,
    /// How risky its text is.
    pub assessment: Assessment,
    /// Some of its messages.
    pub samples: Vec<SampleMessage>,
}

/// What messages to some contacts come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CampaignTotal {
    /// How many contacts there are.
    pub audience: u64,
    /// How many of them have no address for the channel.
    pub unreachable: u64,
    /// How many others get nothing: they lack what the text needs, are suppressed, or no provider
    /// reaches them.
    pub refused: u64,
    /// How many segments their messages have.
    pub segments: u64,
    /// What they cost.
    pub cost: Money,
}

/// A message as a contact would get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleMessage {
    /// For whom.
    pub contact: Id<Contact>,
    /// What it says.
    pub draft: Draft,
    /// What it costs.
    pub cost: Money,
    /// Why it is not sent, if so.
    pub failure: Option<Failure>,
}

/// How many messages a preview shows.
pub const SAMPLES: usize = 3;
/// How many contacts are looked at for an exact preview. Of more than that some are looked at.
pub const PREVIEWED_EXACTLY: u64 = 2_000;

impl CampaignTotal {
    /// Adds the message for one contact, which costs that. A suppressed one costs nothing.
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

    /// What it comes to for `audience` contacts, if the others are like these.
    #[must_use]
    pub fn projected_on(self, audience: u64) -> Self {
        let scaled = |value: u64| match u128::from(self.audience) {
            0 => 0,
            seen => {
                let scaled = (u128::from(value) * u128::from(audience) + seen / 2) / seen;
                u64::try_from(scaled).unwrap_or(u64::MAX)
            }
        };
        let cost = scaled(self.cost.micros().unsigned_abs());
        Self {
            audience,
            unreachable: scaled(self.unreachable),
            refused: scaled(self.refused),
            segments: scaled(self.segments),
            cost: Money::from_micros(i64::try_from(cost).unwrap_or(i64::MAX)),
        }
    }
}
