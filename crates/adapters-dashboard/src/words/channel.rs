//! Channels, purposes and priorities of messages.

use domain::content::template::TemplateChannel;
use domain::messaging::priority::Priority;
use domain::shared::category::Category;
use domain::shared::channel::Channel;

use super::{InWords, Words};

/// Returns the noun for a number of messages of a channel, as in `3 text messages`.
pub(crate) const fn message_noun(channel: Channel, number: u64) -> &'static str {
    let is_one = number == 1;
    match channel {
        Channel::Sms if is_one => "text message",
        Channel::Sms => "text messages",
        Channel::WhatsApp if is_one => "WhatsApp message",
        Channel::WhatsApp => "WhatsApp messages",
        Channel::Email if is_one => "email",
        Channel::Email => "emails",
        Channel::Push if is_one => "notification",
        Channel::Push => "notifications",
        Channel::Voice if is_one => "call",
        Channel::Voice => "calls",
    }
}

impl InWords for Channel {
    fn words(self) -> Words {
        match self {
            Self::Sms => Words::neutral("SMS", "A text message to a mobile phone."),
            Self::WhatsApp => Words::neutral("WhatsApp", "A message in WhatsApp."),
            Self::Email => Words::neutral("Email", "A mail to a mail address."),
            Self::Push => Words::neutral("Push", "A notification of an app on a device."),
            Self::Voice => Words::neutral("Call", "A phone call that reads the text out."),
        }
    }
}

impl InWords for TemplateChannel {
    fn words(self) -> Words {
        match self {
            Self::Messages(channel) => channel.words(),
            Self::InApp => Words::neutral("In the app", "A text that your own app shows."),
        }
    }
}

impl InWords for Category {
    fn words(self) -> Words {
        match self {
            Self::Transactional => {
                Words::neutral("Service", "An answer to something that the person did.")
            }
            Self::Marketing => {
                Words::neutral("Marketing", "An offer, or news about your products.")
            }
            Self::Otp => Words::neutral("Code", "A code for a login or a payment."),
            Self::Reminder => Words::neutral("Reminder", "A reminder of something agreed."),
            Self::Alert => Words::neutral("Alert", "A warning that cannot wait."),
            Self::Healthcare => Words::neutral("Health", "A message about somebody's health."),
            Self::Insurance => Words::neutral("Insurance", "A message about an insurance."),
            Self::Logistics => {
                Words::neutral("Transport", "A message about a parcel or a journey.")
            }
            Self::Fintech => Words::neutral("Money", "A message about money or a payment."),
            Self::Ecommerce => Words::neutral("Shop", "A message about an order in a shop."),
        }
    }
}

impl InWords for Priority {
    fn words(self) -> Words {
        match self {
            Self::Otp => Words::neutral("Codes", "Codes go before all other messages."),
            Self::Alert => Words::neutral("Alerts", "Alerts go right after codes."),
            Self::Single => Words::neutral("Single", "Messages to one person go after alerts."),
            Self::Bulk => {
                Words::neutral("Several", "Messages to several people go after single ones.")
            }
            Self::Campaign => {
                Words::neutral("Campaign", "Messages of campaigns go after all these.")
            }
            Self::Sandbox => Words::neutral("Sandbox", "Tests go last, and reach nobody."),
        }
    }
}
