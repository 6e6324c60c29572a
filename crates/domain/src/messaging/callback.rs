//! What providers tell us on their own: reports on messages, and texts of recipients.

use chrono::{DateTime, Utc};

use crate::{
    messaging::{delivery::DeliveryEvent, message::Message},
    shared::{address::Address, channel::Channel, id::Id},
};

/// A call that a vendor made to us, as it came. Nothing in it can be trusted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// How it was made.
    pub method: CallbackMethod,
    /// The public address that was called, with its query: what some vendors sign.
    pub url: String,
    /// The parameters of the query, decoded, in their order.
    pub query: Vec<(String, String)>,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte: what other vendors sign.
    pub body: Vec<u8>,
}

/// The methods with which vendors call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallbackMethod {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
}

impl Callback {
    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// A parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut values = self.query.iter().filter(|(known, _)| known == name);
        values.next().map(|(_, value)| value.as_str())
    }
}

/// What a callback said, once it was found to be the vendor's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Received {
    /// What became of messages, in the order in which it was told.
    pub reports: Vec<VendorReport>,
    /// What recipients wrote.
    pub inbound: Vec<Inbound>,
    /// What recipients asked for in answer to messages, other than by writing.
    pub requests: Vec<RecipientRequest>,
    /// Whether it tells of other accounts of ours as well, whose callbacks the vendor makes to the
    /// same address. What it tells of them is not in here.
    pub concerns_others: bool,
    /// The message whose text the vendor asks for, to read it out.
    pub asks_for: Option<Id<Message>>,
    /// What the vendor wants to hear, unless it is given a text.
    pub answer: CallbackAnswer,
}

/// The answer to a callback, always with the status 200.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CallbackAnswer {
    /// Our own envelope.
    #[default]
    Acknowledged,
    /// A text of that media type.
    Text(&'static str, String),
}

/// A vendor's word on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorReport {
    /// Which message.
    pub about: MessageRef,
    /// What happened to it: accepted, confirmed or rejected.
    pub event: DeliveryEvent,
}

/// How a vendor names a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageRef {
    /// By our own identifier, which was given to it.
    Ours(Id<Message>),
    /// By its own.
    Vendors(String),
}

impl MessageRef {
    /// The provider's own name for it, if it is that.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Ours(_) => None,
            Self::Vendors(reference) => Some(reference),
        }
    }
}

/// A text that somebody wrote to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// How it came.
    pub channel: Channel,
    /// Who wrote it.
    pub from: Address,
    /// What it says.
    pub text: String,
    /// When it was written.
    pub at: DateTime<Utc>,
}

/// What a recipient asked for in answer to one of our messages, by a button or a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientRequest {
    /// Which message.
    pub about: MessageRef,
    /// How that message went.
    pub channel: Channel,
    /// Who asked, if the vendor says.
    pub recipient: Option<Address>,
    /// For what.
    pub kind: RecipientRequestKind,
    /// When it was asked.
    pub at: DateTime<Utc>,
}

/// What a recipient may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecipientRequestKind {
    /// It complained about the message as unwanted: it is to hear no more on this channel.
    Complaint,
    /// It unsubscribed: it is to get no more advertising on this channel.
    Unsubscribe,
}

/// Why a callback was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefused {
    /// The vendor makes no callbacks, or not by this method.
    #[error("this provider makes no such callbacks")]
    Unsupported,
    /// The signature or the token is missing or wrong.
    #[error("the signature is missing or wrong")]
    Unauthorized,
    /// It is the vendor's, but makes no sense.
    #[error("the callback makes no sense")]
    Malformed,
}

/// What an inbound text asks for, by its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptKeyword {
    /// To hear no more.
    Stop,
    /// To hear again.
    Start,
}

impl OptKeyword {
    /// The wish that a text expresses: by its first word alone, in any case and with any punctuation
    /// around it. "Please stop by" wishes nothing, nor does a word of which it is a part, such as
    /// "end-to-end".
    pub fn of(text: &str) -> Option<Self> {
        let is_mark = |c: char| !c.is_alphanumeric();
        let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | ':' | '!' | '?');
        let mut words = text.split(is_end).map(|word| word.trim_matches(is_mark));
        let word = words.find(|word| !word.is_empty())?;
        match word.to_uppercase().as_str() {
            "STOP" | "STOPALL" | "UNSUBSCRIBE" | "CANCEL" | "END" | "QUIT" => Some(Self::Stop),
            "START" => Some(Self::Start),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_alone_tells_the_wish() {
        for text in [
            "STOP",
            " stop. ",
            "\"Stop!\" thank you",
            "Unsubscribe",
            "quit",
            "- END -",
            "Stop,please",
        ] {
            assert_eq!(OptKeyword::of(text), Some(OptKeyword::Stop), "{text}");
        }
        assert_eq!(OptKeyword::of("StopAll"), Some(OptKeyword::Stop));
        assert_eq!(OptKeyword::of("Start"), Some(OptKeyword::Start));
        for text in ["please stop by", "", "...", "stopping", "never stop", "restart", "end-to-end"]
        {
            assert_eq!(OptKeyword::of(text), None, "{text}");
        }
    }
}
