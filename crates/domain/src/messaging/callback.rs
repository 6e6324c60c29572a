//! Callbacks of providers: reports on messages, and texts from recipients.
//!
//! ```
//! use domain::messaging::callback::OptKeyword;
//!
//! assert_eq!(OptKeyword::of("stop"), Some(OptKeyword::Stop));
//! assert_eq!(OptKeyword::of("hello"), None);
//! ```

use chrono::{DateTime, Utc};

use crate::{
    messaging::{delivery::DeliveryEvent, message::Message},
    shared::{address::Address, channel::Channel, id::Id},
};

/// HTTP call made by a vendor, as received. Nothing in it can be trusted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// HTTP method.
    pub method: CallbackMethod,
    /// Public URL that was called, with its query. Some vendors sign it.
    pub url: String,
    /// Parameters of the query, decoded and in their order.
    pub query: Vec<(String, String)>,
    /// Headers, with their names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body, byte for byte. Some vendors sign it.
    pub body: Vec<u8>,
}

/// HTTP methods of callbacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallbackMethod {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
}

impl Callback {
    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// Returns the value of a query parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut values = self.query.iter().filter(|(known, _)| known == name);
        values.next().map(|(_, value)| value.as_str())
    }
}

/// Content of a callback, once it is verified as the vendor's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Received {
    /// Reports on messages, in the vendor's order.
    pub reports: Vec<VendorReport>,
    /// Texts from recipients.
    pub inbound: Vec<Inbound>,
    /// Requests of recipients in answer to messages, other than by writing.
    pub requests: Vec<RecipientRequest>,
    /// True if the callback also concerns other accounts of ours, for which the vendor calls the
    /// same address. What it says about them is not included.
    pub concerns_others: bool,
    /// Message whose text the vendor requests, to read it out.
    pub asks_for: Option<Id<Message>>,
    /// Answer that the vendor expects, unless it is given a text.
    pub answer: CallbackAnswer,
}

/// The answer to a callback, always with the status 200.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CallbackAnswer {
    /// Our own envelope.
    #[default]
    Acknowledged,
    /// Text of the given media type.
    Text(&'static str, String),
}

/// Report of a vendor on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorReport {
    /// Message that the report is about.
    pub about: MessageRef,
    /// Event reported: accepted, confirmed or rejected.
    pub event: DeliveryEvent,
}

/// Reference by which a vendor names a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageRef {
    /// Our own identifier, which the vendor was given.
    Ours(Id<Message>),
    /// The vendor's own identifier.
    Vendors(String),
}

impl MessageRef {
    /// Returns the vendor's own identifier; `None` if this is ours.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Ours(_) => None,
            Self::Vendors(reference) => Some(reference),
        }
    }
}

/// Text that somebody sent to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// Channel over which it came.
    pub channel: Channel,
    /// Address of the sender.
    pub from: Address,
    /// Content of the text.
    pub text: String,
    /// Time of writing.
    pub at: DateTime<Utc>,
}

/// Request of a recipient in answer to one of our messages, by a button or a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientRequest {
    /// Message that was answered.
    pub about: MessageRef,
    /// Channel of that message.
    pub channel: Channel,
    /// Recipient who made the request; `None` if the vendor does not say.
    pub recipient: Option<Address>,
    /// Kind of request.
    pub kind: RecipientRequestKind,
    /// Time of the request.
    pub at: DateTime<Utc>,
}

/// Requests that a recipient can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecipientRequestKind {
    /// Complaint about an unwanted message: the recipient gets no more messages on this channel.
    Complaint,
    /// Unsubscription: the recipient gets no more advertising on this channel.
    Unsubscribe,
}

/// Reasons for which a callback is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefused {
    /// The vendor makes no callbacks, or not by this method.
    #[error("this provider makes no such callbacks")]
    Unsupported,
    /// The signature or the token is missing or wrong.
    #[error("the signature is missing or wrong")]
    Unauthorized,
    /// The callback is the vendor's, but makes no sense.
    #[error("the callback makes no sense")]
    Malformed,
}

/// Request that an inbound text makes by its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptKeyword {
    /// Stop sending messages.
    Stop,
    /// Resume sending messages.
    Start,
}

impl OptKeyword {
    /// Reads the request from the first word alone, in any case and with any punctuation around it.
    /// "Please stop by" requests nothing, nor does a word that only contains a keyword, such as
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
    fn the_first_word_alone_is_the_keyword() {
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
