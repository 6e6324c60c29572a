//! Triggers: single occurrences of an event, and the channels that notify of them.
//!
//! ```
//! use domain::{
//!     outreach::trigger::{ChannelState, TriggerChannel},
//!     shared::channel::Channel,
//! };
//!
//! let left = TriggerChannel { channel: Channel::Email, state: ChannelState::Left };
//! assert_eq!(left.channel, Channel::Email);
//! ```

mod request;

pub use self::request::{Plan, TriggerRequest};
use crate::messaging::message::TriggerId;
use crate::{
    identity::organization::Organization,
    messaging::{
        delivery::FailureCode,
        message::{Draft, Message},
    },
    outreach::event::Wait,
    shared::{channel::Channel, id::Id},
};

/// A single occurrence of an event for one recipient. Its channels are tried in order, each with a
/// message of its own, until one succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// Identifier of the trigger.
    pub id: TriggerId,
    /// Organization that the event belongs to.
    pub organization: Id<Organization>,
    /// Slug of the event.
    pub event: String,
    /// True if its messages are simulated.
    pub is_sandbox: bool,
    /// Channels of the event, in order.
    pub channels: Vec<TriggerChannel>,
    /// Messages for the remaining channels, in order.
    pub left: Vec<Draft>,
    /// Time to wait for a channel before the next one is tried.
    pub wait: Wait,
}

/// A channel of a [`Trigger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerChannel {
    /// Channel that is or was tried.
    pub channel: Channel,
    /// Progress of the channel.
    pub state: ChannelState,
}

/// Progress of a channel of a [`Trigger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelState {
    /// Not tried yet.
    Left,
    /// Cannot be tried.
    Skipped(FailureCode),
    /// Tried with this message.
    Tried(Id<Message>),
}

impl Trigger {
    /// Returns the number of channels that were tried.
    pub fn tried(&self) -> usize {
        self.messages().count()
    }

    /// Returns the messages with which channels were tried, in order.
    pub fn messages(&self) -> impl Iterator<Item = Id<Message>> {
        self.channels.iter().filter_map(|it| match it.state {
            ChannelState::Tried(message) => Some(message),
            ChannelState::Left | ChannelState::Skipped(_) => None,
        })
    }

    /// Returns the trigger after its next channel is tried with `message`, made of the first
    /// remaining draft.
    #[must_use]
    pub fn going_on_with(mut self, message: Id<Message>) -> Self {
        let next = self.channels.iter_mut().find(|it| it.state == ChannelState::Left);
        if let Some(next) = next {
            next.state = ChannelState::Tried(message);
            self.left.remove(0);
        }
        self
    }
}

#[cfg(test)]
mod tests;
