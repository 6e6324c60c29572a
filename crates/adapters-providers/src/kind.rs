//! The vendors that can be declared.

use std::{fmt, str::FromStr, sync::Arc};

use domain::channel::Channel;
use ports::providers::MessagingProvider;
use thiserror::Error;

use crate::{
    africas_talking, arkesel,
    declaration::{Declaration, DeclarationError, Deps},
    expo, fcm, http, hubtel, infobip, mailgun, mnotify, resend, sendgrid, simulated, smtp, termii,
    twilio, whatsapp_cloud,
};

/// A vendor, named as in the providers file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Africa's Talking: SMS.
    AfricasTalking,
    /// Africa's Talking: calls.
    AfricasTalkingVoice,
    /// Arkesel.
    Arkesel,
    /// Expo.
    Expo,
    /// Firebase Cloud Messaging.
    Fcm,
    /// Any service that takes messages as JSON over HTTP.
    Http,
    /// Hubtel.
    Hubtel,
    /// Infobip.
    Infobip,
    /// Mailgun.
    Mailgun,
    /// mNotify.
    Mnotify,
    /// Resend.
    Resend,
    /// `SendGrid`.
    SendGrid,
    /// A provider that only pretends.
    Simulated,
    /// Any mail server.
    Smtp,
    /// Termii.
    Termii,
    /// Twilio: SMS.
    Twilio,
    /// Twilio: calls.
    TwilioVoice,
    /// Twilio: `WhatsApp`.
    TwilioWhatsApp,
    /// The `WhatsApp` Cloud API.
    WhatsAppCloud,
}

/// Whether a vendor calls us, and how it proves itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callbacks {
    /// It never calls.
    None,
    /// It signs.
    Signed,
    /// By the token in the address, which is derived from this credential.
    Token(&'static str),
}

/// What a vendor's file says of the vendor.
pub(crate) struct Vendor {
    /// Its name in the providers file.
    pub(crate) name: &'static str,
    /// The channels it can carry.
    pub(crate) channels: &'static [Channel],
    /// The credentials it cannot do without.
    pub(crate) required: &'static [&'static str],
    /// The credentials it can do without.
    pub(crate) optional: &'static [&'static str],
    /// The options it knows.
    pub(crate) options: &'static [&'static str],
    /// Seconds to wait for its word, unless declared otherwise.
    pub(crate) patience: u32,
    /// Whether it calls us, and how it proves itself.
    pub(crate) callbacks: Callbacks,
    /// Checks the values of a declaration that was checked against the above.
    pub(crate) check: fn(&Declaration) -> Result<(), DeclarationError>,
    /// Makes the adapter of a declaration.
    pub(crate) build: Build,
}

pub(crate) type Build =
    fn(&Declaration, &Deps) -> Result<Arc<dyn MessagingProvider>, DeclarationError>;

/// Seconds after which most vendors have reported, or will not.
pub(crate) const USUAL_PATIENCE: u32 = 600;

/// There is no such vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "must be one of africas-talking, africas-talking-voice, arkesel, expo, fcm, http, \
     hubtel, infobip, mailgun, mnotify, resend, sendgrid, simulated, smtp, termii, twilio, twilio-voice, \
     twilio-whatsapp, whatsapp-cloud"
)]
pub struct UnknownKind;

impl Kind {
    /// Every vendor.
    pub const ALL: [Self; 19] = [
        Self::AfricasTalking,
        Self::AfricasTalkingVoice,
        Self::Arkesel,
        Self::Expo,
        Self::Fcm,
        Self::Http,
        Self::Hubtel,
        Self::Infobip,
        Self::Mailgun,
        Self::Mnotify,
        Self::Resend,
        Self::SendGrid,
        Self::Simulated,
        Self::Smtp,
        Self::Termii,
        Self::Twilio,
        Self::TwilioVoice,
        Self::TwilioWhatsApp,
        Self::WhatsAppCloud,
    ];

    /// The name in the providers file.
    pub const fn as_str(self) -> &'static str {
        self.vendor().name
    }

    pub(crate) const fn vendor(self) -> &'static Vendor {
        match self {
            Self::AfricasTalking => &africas_talking::SMS,
            Self::AfricasTalkingVoice => &africas_talking::VOICE,
            Self::Arkesel => &arkesel::VENDOR,
            Self::Expo => &expo::VENDOR,
            Self::Fcm => &fcm::VENDOR,
            Self::Http => &http::VENDOR,
            Self::Hubtel => &hubtel::VENDOR,
            Self::Infobip => &infobip::VENDOR,
            Self::Mailgun => &mailgun::VENDOR,
            Self::Mnotify => &mnotify::VENDOR,
            Self::Resend => &resend::VENDOR,
            Self::SendGrid => &sendgrid::VENDOR,
            Self::Simulated => &simulated::VENDOR,
            Self::Smtp => &smtp::VENDOR,
            Self::Termii => &termii::VENDOR,
            Self::Twilio => &twilio::SMS,
            Self::TwilioVoice => &twilio::VOICE,
            Self::TwilioWhatsApp => &twilio::WHATSAPP,
            Self::WhatsAppCloud => &whatsapp_cloud::VENDOR,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownKind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_name_and_named_in_the_error() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(UnknownKind.to_string().contains(kind.as_str()));
        }
        assert_eq!("SMTP".parse::<Kind>(), Err(UnknownKind));
    }
}
