//! States of messages and reasons for failures: what happened, the remedy, and the charge.

use chrono::{DateTime, Utc};
use domain::messaging::delivery::{Delivery, Failure, FailureCode, Status};
use domain::messaging::message::Message;
use domain::messaging::timeline::Payment;
use domain::shared::category::Category;
use domain::shared::channel::Channel;
use domain::shared::money::Money;

use super::{InWords, Tone, Words};

const NOTHING_TO_DO: &str = "There is nothing to do.";
const GOES_BY_ITSELF: &str = "There is nothing to do: it goes by itself.";
const TRIED_AGAIN: &str = "There is nothing to do: it is tried again by itself.";
const ASKED: &str = "There is nothing to do: we ask the provider about it.";
const SEND_AGAIN: &str = "Send it again later.";
const MAY_COME_TWICE: &str = "It may have arrived. If you send it again, it may come twice.";
const NEW_CODE: &str = "Send a new code: the old one is of no use any more.";

/// Explanation of a message or of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Explanation {
    /// Name of the state, such as `Not delivered`; of a failure, its short name.
    pub(crate) label: &'static str,
    pub(crate) happened: &'static str,
    pub(crate) remedy: &'static str,
    pub(crate) charge: Charge,
    pub(crate) tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charge {
    Paid,
    NotCharged,
    /// The message was paid for, and the price was paid back.
    Refunded,
    /// The message was paid for, and is paid back if it fails.
    Pending,
}

impl Charge {
    pub(crate) fn of(message: &Message) -> Self {
        if message.is_refunded() {
            return Self::Refunded;
        }
        if message.cost == Money::ZERO {
            return Self::NotCharged;
        }
        match message.delivery {
            Delivery::Queued { .. } | Delivery::Pending { .. } | Delivery::Sent { .. } => {
                Self::Pending
            }
            Delivery::Unreported { .. } | Delivery::Delivered { .. } => Self::Paid,
            Delivery::Failed { .. } => Self::NotCharged,
        }
    }

    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Paid => "You paid for it.",
            Self::NotCharged => "You were not charged.",
            Self::Refunded => "You were not charged: the price is back in your wallet.",
            Self::Pending => "You get the price back if it fails.",
        }
    }
}

impl From<Payment> for Charge {
    fn from(payment: Payment) -> Self {
        match payment {
            Payment::Open => Self::Pending,
            Payment::Paid => Self::Paid,
            Payment::Refunded => Self::NotCharged,
        }
    }
}

impl Explanation {
    /// Returns the explanation of a message as it is at `now`.
    pub(crate) fn of(message: &Message, now: DateTime<Utc>) -> Self {
        let explanation = match &message.delivery {
            Delivery::Queued { last_failure: failure } | Delivery::Pending { doubt: failure } => {
                Self::of_waiting(message, failure.as_ref(), now)
            }
            Delivery::Sent { .. } => {
                Self::of_status(Status::Sent, "There is nothing to do: the report may still come.")
            }
            Delivery::Delivered { .. } => Self::of_status(Status::Delivered, NOTHING_TO_DO),
            Delivery::Unreported { failure, .. } => {
                let label = "Sent, no report";
                Self { label, tone: Tone::Neutral, ..Self::of_failed(message, failure.code) }
            }
            Delivery::Failed { failure, .. } => Self::of_failed(message, failure.code),
        };
        Self { charge: Charge::of(message), ..explanation }
    }

    /// Returns the explanation of a failure, whatever the message.
    pub(crate) fn of_failure(code: FailureCode) -> Self {
        let Words { label, meaning, tone } = code.words();
        Self {
            label,
            happened: meaning,
            remedy: remedy(code),
            charge: code.explanation().payment.into(),
            tone,
        }
    }

    fn of_status(status: Status, remedy: &'static str) -> Self {
        let Words { label, meaning, tone } = status.words();
        let charge = status.explanation().payment.into();
        Self { label, happened: meaning, remedy, charge, tone }
    }

    fn of_waiting(message: &Message, failure: Option<&Failure>, now: DateTime<Utc>) -> Self {
        let explanation = Self::of_status(message.delivery.status(), GOES_BY_ITSELF);
        match failure {
            Some(failure) => {
                let remedy = match message.delivery.status() {
                    _ if message.refusal().is_some() => remedy(failure.code),
                    Status::Pending => ASKED,
                    _ => TRIED_AGAIN,
                };
                let happened = happened(failure.code, message.draft.channel);
                Self { happened, remedy, ..explanation }
            }
            None if message.is_scheduled() => Self {
                label: "Scheduled",
                happened: "It waits for the time that you chose.",
                ..explanation
            },
            None if message.valid_from > now => Self {
                label: "Held back",
                happened: "It waits for its campaign, or for the hours in which it may be sent.",
                ..explanation
            },
            None => explanation,
        }
    }

    fn of_failed(message: &Message, code: FailureCode) -> Self {
        let is_code = message.draft.category == Category::Otp;
        let label = match code {
            FailureCode::Cancelled => code.words().label,
            _ => Status::Failed.words().label,
        };
        let happened = happened(code, message.draft.channel);
        let remedy = if is_code && may_be_repeated(code) { NEW_CODE } else { remedy(code) };
        Self { label, happened, remedy, ..Self::of_failure(code) }
    }
}

words! { Status:
    Self::Queued => waiting("Waiting", "It waits to be handed to a provider."),
    Self::Pending => waiting("Sending", "It is being handed to a provider."),
    Self::Sent => neutral("Sent", "A provider took it, and has not said yet if it arrived."),
    Self::Delivered => good("Delivered", "The provider says that it arrived."),
    Self::Failed => bad("Not delivered", "It did not arrive, and is not tried any more."),
}

impl InWords for FailureCode {
    fn words(self) -> Words {
        let label = short_name(self);
        let tone = match self {
            Self::RecipientOptedOut
            | Self::RecipientSuppressed
            | Self::NoReport
            | Self::Cancelled => Tone::Neutral,
            _ => Tone::Bad,
        };
        Words { label, meaning: happened_anywhere(self), tone }
    }
}

const fn short_name(code: FailureCode) -> &'static str {
    match code {
        FailureCode::InvalidRecipient => "Wrong number or address",
        FailureCode::RecipientOptedOut => "Opted out at the provider",
        FailureCode::RecipientSuppressed => "On the list “Do not contact”",
        FailureCode::NoRoute => "Country or channel not served",
        FailureCode::BlockedContent => "Text refused",
        FailureCode::SenderNotAllowed => "Sender refused",
        FailureCode::DeviceUnregistered => "App removed",
        FailureCode::SessionWindowClosed => "No recent reply",
        FailureCode::RecipientUnreachable => "Out of reach",
        FailureCode::ProviderThrottled => "Provider takes no more",
        FailureCode::ProviderBusy => "Provider busy",
        FailureCode::ProviderAuth => "Account refused",
        FailureCode::ProviderBalance => "Account empty",
        FailureCode::ProviderUnavailable => "Provider out of order",
        FailureCode::ProviderRejected => "Refused by the provider",
        FailureCode::UnknownOutcome => "No clear answer",
        FailureCode::Undelivered => "Switched off or out of reach",
        FailureCode::NoReport => "No report",
        FailureCode::Expired => "Too late",
        FailureCode::MissingVariable => "Detail missing",
        FailureCode::Cancelled => "Cancelled",
        FailureCode::CountryNotAllowed => "Country not allowed",
        FailureCode::VelocityLimit => "Too many in a short time",
        FailureCode::TrafficStopped => "Codes stopped",
    }
}

/// Returns what happened to a message of a channel.
const fn happened(code: FailureCode, channel: Channel) -> &'static str {
    match (code, channel) {
        (FailureCode::InvalidRecipient, Channel::Sms) => {
            "The number does not exist, or takes no text messages."
        }
        (FailureCode::InvalidRecipient, Channel::WhatsApp) => {
            "The number does not exist, or is not on WhatsApp."
        }
        (FailureCode::InvalidRecipient, Channel::Email) => "The mail address does not exist.",
        (FailureCode::InvalidRecipient, Channel::Push) => {
            "The device is not known to the service for notifications."
        }
        (FailureCode::InvalidRecipient, Channel::Voice) => {
            "The number does not exist, or takes no calls."
        }
        (FailureCode::Undelivered, Channel::Sms | Channel::WhatsApp) => {
            "The phone was switched off or out of reach until the provider gave up."
        }
        (FailureCode::Undelivered, Channel::Email) => {
            "The mailbox did not take the mail until the provider gave up."
        }
        (FailureCode::Undelivered, Channel::Push) => {
            "The device was switched off or offline until the provider gave up."
        }
        (FailureCode::Undelivered, Channel::Voice) => {
            "The call was not answered, or the line was busy."
        }
        (FailureCode::RecipientUnreachable, Channel::Email) => {
            "The mailbox is full, or takes no mail at present."
        }
        _ => happened_anywhere(code),
    }
}

/// Returns what happened to a message of any channel.
const fn happened_anywhere(code: FailureCode) -> &'static str {
    match code {
        FailureCode::InvalidRecipient => {
            "The number or address does not exist, or takes no such messages."
        }
        FailureCode::RecipientOptedOut => {
            "The person asked the provider for no more messages from you."
        }
        FailureCode::RecipientSuppressed => "The person is on your list “Do not contact”.",
        FailureCode::NoRoute => "No provider sends such messages to this country.",
        FailureCode::BlockedContent => "The text was refused by the provider or by our check.",
        FailureCode::SenderNotAllowed => "The provider refused the sender.",
        FailureCode::DeviceUnregistered => "The app was removed from the device.",
        FailureCode::SessionWindowClosed => "The person has not written to you for a day.",
        FailureCode::RecipientUnreachable => "The person could not be reached at the time.",
        FailureCode::ProviderThrottled => "The provider took no more messages at the time.",
        FailureCode::ProviderBusy => "Too many messages waited for the provider at the time.",
        FailureCode::ProviderAuth => "The provider refused the account of this service.",
        FailureCode::ProviderBalance => "The account of this service at the provider was empty.",
        FailureCode::ProviderUnavailable => "The provider was out of order.",
        FailureCode::ProviderRejected => "The provider refused it for a reason of its own.",
        FailureCode::UnknownOutcome => "The provider did not answer clearly if it took it.",
        FailureCode::Undelivered => {
            "The phone or mailbox was out of reach until the provider gave up."
        }
        FailureCode::NoReport => "The provider took it, and never said if it arrived.",
        FailureCode::Expired => "No provider took it before it was too old to be of use.",
        FailureCode::MissingVariable => "The text needs a detail that this person does not have.",
        FailureCode::Cancelled => "It was cancelled before a provider had it.",
        FailureCode::CountryNotAllowed => "Your settings allow no messages to this country.",
        FailureCode::VelocityLimit => "Too many messages went to such numbers in a short time.",
        FailureCode::TrafficStopped => {
            "Codes to these numbers are stopped, because too few of them arrive."
        }
    }
}

const fn remedy(code: FailureCode) -> &'static str {
    match code {
        FailureCode::InvalidRecipient => "Check the number or address, and correct the contact.",
        FailureCode::RecipientOptedOut => "Do not write to this person any more.",
        FailureCode::RecipientSuppressed => "Take the person off the list only if they agree.",
        FailureCode::NoRoute => "Use another channel, or ask the operator of this service.",
        FailureCode::BlockedContent => "Change the text before you send it again.",
        FailureCode::SenderNotAllowed => "Use a sender that is approved for this country.",
        FailureCode::DeviceUnregistered => "Remove the device from the contact.",
        FailureCode::SessionWindowClosed => "Send a template that WhatsApp has approved.",
        FailureCode::RecipientUnreachable
        | FailureCode::ProviderThrottled
        | FailureCode::ProviderBusy
        | FailureCode::ProviderUnavailable
        | FailureCode::Undelivered
        | FailureCode::VelocityLimit => SEND_AGAIN,
        FailureCode::ProviderAuth | FailureCode::ProviderBalance => {
            "The operator of this service has to put it right. Send it again later."
        }
        FailureCode::ProviderRejected => {
            "Send it again later, or ask the operator of this service."
        }
        FailureCode::UnknownOutcome | FailureCode::NoReport => MAY_COME_TWICE,
        FailureCode::Expired => "Send it again if it is still of use.",
        FailureCode::MissingVariable => "Complete the contact, or change the text.",
        FailureCode::Cancelled => "Send another message if it is needed after all.",
        FailureCode::CountryNotAllowed => "Allow the country in the settings.",
        FailureCode::TrafficStopped => {
            "Let a developer look at the traffic alerts: somebody may misuse your codes."
        }
    }
}

/// True if the remedy is to send the same message again.
const fn may_be_repeated(code: FailureCode) -> bool {
    matches!(
        code,
        FailureCode::RecipientUnreachable
            | FailureCode::ProviderThrottled
            | FailureCode::ProviderBusy
            | FailureCode::ProviderAuth
            | FailureCode::ProviderBalance
            | FailureCode::ProviderUnavailable
            | FailureCode::ProviderRejected
            | FailureCode::UnknownOutcome
            | FailureCode::Undelivered
            | FailureCode::NoReport
            | FailureCode::Expired
            | FailureCode::VelocityLimit
    )
}
