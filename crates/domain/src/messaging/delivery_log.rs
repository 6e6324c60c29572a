//! Search in the delivery log.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     messaging::{delivery::Status, delivery_log::LogFilter},
//!     platform::webhook_examples::example_message,
//!     shared::id::Id,
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let delivered = example_message(Id::new(now), now);
//! assert!(LogFilter::of_status(Status::Delivered).fits(&delivered));
//! ```

pub mod csv;
mod request;

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub use self::request::{LogRequest, SEARCHED};
use crate::{
    messaging::{
        delivery::{FailureCode, Status},
        message::{CampaignId, Message, Metadata, Source},
    },
    shared::{channel::Channel, id::Id},
};

/// Filter for messages of the log. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogFilter {
    /// Status of the messages; `None` for any.
    pub status: Option<Status>,
    /// Channel of the messages; `None` for any.
    pub channel: Option<Channel>,
    /// Recipient in its possible normalised forms; `None` for any.
    pub recipients: Option<Vec<String>>,
    /// Campaign that they belong to; `None` for any or none.
    pub campaign: Option<CampaignId>,
    /// Time from which on they were accepted; `None` for the beginning of the log.
    pub from: Option<DateTime<Utc>>,
    /// Time before which they were accepted; `None` for the end of the log.
    pub to: Option<DateTime<Utc>>,
    /// Slug of the event that they notify of; `None` for any or none.
    pub event: Option<String>,
    /// Provider that had them last; `None` for any or none.
    pub provider: Option<String>,
    /// Reason for which they failed, or `NO_REPORT`; `None` for any or none.
    pub error_code: Option<FailureCode>,
    /// True for messages of the sandbox, false for all others; `None` for both.
    pub is_sandbox: Option<bool>,
    /// Pairs that are among their metadata.
    pub metadata: Metadata,
}

impl LogFilter {
    /// Returns the filter for messages in a state.
    pub fn of_status(status: Status) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// Returns the smallest identifier that one of its messages may have.
    pub fn since(&self) -> Id<Message> {
        self.from.map_or(Id::of(Uuid::nil()), Id::floor)
    }

    /// Returns the smallest identifier above those that its messages may have.
    pub fn below(&self) -> Id<Message> {
        self.to.map_or(Id::of(Uuid::max()), Id::floor)
    }

    /// True if the number of its messages is counted as they are accepted.
    pub fn is_counted(&self) -> bool {
        *self == Self { status: self.status, channel: self.channel, ..Self::default() }
    }

    /// True if a message fits it.
    pub fn fits(&self, message: &Message) -> bool {
        let Message { id, draft, delivery, source, .. } = message;
        let campaign = source.and_then(Source::campaign);
        let recipient = draft.recipient.as_str();
        self.status.is_none_or(|wanted| delivery.status() == wanted)
            && self.channel.is_none_or(|wanted| draft.channel == wanted)
            && self.recipients.as_ref().is_none_or(|any| any.iter().any(|it| it == recipient))
            && self.campaign.is_none_or(|wanted| campaign == Some(wanted))
            && *id >= self.since()
            && *id < self.below()
            && self.event.as_ref().is_none_or(|wanted| message.event.as_ref() == Some(wanted))
            && self.provider.as_ref().is_none_or(|name| message.provider.as_ref() == Some(name))
            && self.error_code.is_none_or(|wanted| reason(message) == Some(wanted))
            && self.is_sandbox.is_none_or(|wanted| message.is_sandbox == wanted)
            && self.metadata.iter().all(|(key, value)| draft.metadata.get(key) == Some(value))
    }
}

/// Returns the reason for which a message failed, or `NO_REPORT`. The reason for a delay is none.
fn reason(message: &Message) -> Option<FailureCode> {
    let code = message.delivery.failure()?.code;
    let is_over = message.delivery.failed_at().is_some() || code == FailureCode::NoReport;
    is_over.then_some(code)
}

/// Maximum number of lines in an export.
pub const MAX_EXPORT: usize = 10_000;
