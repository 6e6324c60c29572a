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

words! { Channel:
    Self::Sms => neutral("SMS", "A text message to a mobile phone."),
    Self::WhatsApp => neutral("WhatsApp", "A message in WhatsApp."),
    Self::Email => neutral("Email", "A mail to a mail address."),
    Self::Push => neutral("Push", "A notification of an app on a device."),
    Self::Voice => neutral("Call", "A phone call that reads the text out."),
}

impl InWords for TemplateChannel {
    fn words(self) -> Words {
        match self {
            Self::Messages(channel) => channel.words(),
            Self::InApp => Words::neutral("In the app", "A text that your own app shows."),
        }
    }
}

words! { Category:
    Self::Transactional => neutral("Service", "An answer to something that the person did."),
    Self::Marketing => neutral("Marketing", "An offer, or news about your products."),
    Self::Otp => neutral("Code", "A code for a login or a payment."),
    Self::Reminder => neutral("Reminder", "A reminder of something agreed."),
    Self::Alert => neutral("Alert", "A warning that cannot wait."),
    Self::Healthcare => neutral("Health", "A message about somebody's health."),
    Self::Insurance => neutral("Insurance", "A message about an insurance."),
    Self::Logistics => neutral("Transport", "A message about a parcel or a journey."),
    Self::Fintech => neutral("Money", "A message about money or a payment."),
    Self::Ecommerce => neutral("Shop", "A message about an order in a shop."),
}

words! { Priority:
    Self::Otp => neutral("Codes", "Codes go before all other messages."),
    Self::Alert => neutral("Alerts", "Alerts go right after codes."),
    Self::Single => neutral("Single", "Messages to one person go after alerts."),
    Self::Bulk => neutral("Several", "Messages to several people go after single ones."),
    Self::Campaign => neutral("Campaign", "Messages of campaigns go after all these."),
    Self::Sandbox => neutral("Sandbox", "Tests go last, and reach nobody."),
}
