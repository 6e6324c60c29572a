//! Triggers: an event that happened to somebody, and the channels on which they hear of it.

mod request;

pub use self::request::{Plan, TriggerRequest};
use crate::{
    identity::organization::Organization,
    messaging::{
        delivery::FailureCode,
        message::{Draft, Message},
    },
    outreach::event::Wait,
    shared::{channel::Channel, id::Id},
};

/// An event that happened to somebody. Its channels are tried one after the other, each with a message
/// of its own, until one has brought the news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// Which one this is.
    pub id: Id<Trigger>,
    /// Whose event it was.
    pub organization: Id<Organization>,
    /// The slug of the event.
    pub event: String,
    /// Whether it only rehearses.
    pub is_sandbox: bool,
    /// The channels of the event in their order.
    pub channels: Vec<TriggerChannel>,
    /// The messages for the channels that are left, in their order.
    pub left: Vec<Draft>,
    /// How long a channel is waited for before the next one is tried.
    pub wait: Wait,
}

/// A channel of a [`Trigger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerChannel {
    /// Which one.
    pub channel: Channel,
    /// How far it has come.
    pub state: ChannelState,
}

/// How far a channel of a [`Trigger`] has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelState {
    /// It has not been tried.
    Left,
    /// It cannot be tried.
    Skipped(FailureCode),
    /// It was tried with that message.
    Tried(Id<Message>),
}

impl Trigger {
    /// How many channels were tried.
    pub fn tried(&self) -> usize {
        self.messages().count()
    }

    /// The messages with which channels were tried, in their order.
    pub fn messages(&self) -> impl Iterator<Item = Id<Message>> {
        self.channels.iter().filter_map(|it| match it.state {
            ChannelState::Tried(message) => Some(message),
            ChannelState::Left | ChannelState::Skipped(_) => None,
        })
    }

    /// This trigger when the next channel is tried with `message`, which was made of the first draft
    /// that is left.
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
