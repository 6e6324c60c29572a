//! Channels over which messages reach recipients.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Channel, named as on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Channel {
    /// Text messages to mobile phones.
    #[serde(rename = "SMS")]
    Sms,
    /// `WhatsApp` messages.
    #[serde(rename = "WHATSAPP")]
    WhatsApp,
    /// Electronic mail.
    #[serde(rename = "EMAIL")]
    Email,
    /// Notifications to an application on a device.
    #[serde(rename = "PUSH")]
    Push,
    /// Calls that read the message out.
    #[serde(rename = "VOICE")]
    Voice,
}

/// The text names no channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be one of SMS, WHATSAPP, EMAIL, PUSH, VOICE")]
pub struct UnknownChannel;

impl Channel {
    /// Every channel.
    pub const ALL: [Self; 5] = [Self::Sms, Self::WhatsApp, Self::Email, Self::Push, Self::Voice];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "SMS",
            Self::WhatsApp => "WHATSAPP",
            Self::Email => "EMAIL",
            Self::Push => "PUSH",
            Self::Voice => "VOICE",
        }
    }

    /// True if its recipients are phone numbers.
    pub const fn takes_phone_numbers(self) -> bool {
        matches!(self, Self::Sms | Self::WhatsApp | Self::Voice)
    }

    /// Maximum length of a body on the channel, in characters.
    pub const fn max_characters(self) -> usize {
        match self {
            Self::Sms => 1_600,
            Self::WhatsApp => 4_096,
            Self::Email => 500_000,
            Self::Push | Self::Voice => 4_000,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Channel {
    type Err = UnknownChannel;

    fn from_str(text: &str) -> Result<Self, UnknownChannel> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == text).ok_or(UnknownChannel)
    }
}
