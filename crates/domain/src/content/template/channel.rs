//! Channels of templates.

use std::{fmt, str::FromStr};

use crate::shared::channel::Channel;

/// Channel of a template: a message channel, or the application of the organization, which reads its texts
/// from the API and shows them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TemplateChannel {
    /// Messages of a channel.
    Messages(Channel),
    /// Texts inside an application. Nothing is sent.
    InApp,
}

/// Error for an unknown channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be one of SMS, WHATSAPP, EMAIL, PUSH, IN_APP, VOICE")]
pub struct UnknownTemplateChannel;

/// The longest text inside an application, in characters.
const MAX_IN_APP: usize = 4_000;

impl TemplateChannel {
    /// All channels.
    pub const ALL: [Self; 6] = [
        Self::Messages(Channel::Sms),
        Self::Messages(Channel::WhatsApp),
        Self::Messages(Channel::Email),
        Self::Messages(Channel::Push),
        Self::InApp,
        Self::Messages(Channel::Voice),
    ];

    /// Name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messages(channel) => channel.as_str(),
            Self::InApp => "IN_APP",
        }
    }

    /// Maximum length of a text, in characters.
    pub const fn max_characters(self) -> usize {
        match self {
            Self::Messages(channel) => channel.max_characters(),
            Self::InApp => MAX_IN_APP,
        }
    }
}

impl From<Channel> for TemplateChannel {
    fn from(channel: Channel) -> Self {
        Self::Messages(channel)
    }
}

impl fmt::Display for TemplateChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TemplateChannel {
    type Err = UnknownTemplateChannel;

    fn from_str(text: &str) -> Result<Self, UnknownTemplateChannel> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == text).ok_or(UnknownTemplateChannel)
    }
}
