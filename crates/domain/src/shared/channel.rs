//! Channels over which messages reach recipients.
//!
//! ```
//! use domain::shared::channel::Channel;
//!
//! assert!(Channel::WhatsApp.takes_phone_numbers() && !Channel::Email.takes_phone_numbers());
//! ```

crate::closed_list! {
    /// Channel, named as on the wire.
    #[derive(PartialOrd, Ord)]
    pub enum Channel {
        /// Text messages to mobile phones.
        Sms = "SMS",
        /// `WhatsApp` messages.
        WhatsApp = "WHATSAPP",
        /// Electronic mail.
        Email = "EMAIL",
        /// Notifications to an application on a device.
        Push = "PUSH",
        /// Calls that read the message out.
        Voice = "VOICE",
    }
    impl Serialize;
    impl Deserialize;
    impl Display;
    impl FromStr;
}

impl Channel {
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
