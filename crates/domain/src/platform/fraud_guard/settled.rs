//! Messages whose end is known.

use crate::{
    identity::organization::Organization,
    messaging::{
        delivery::{FailureCode, Status},
        job::Step,
    },
    platform::traffic::OperatorRange,
    shared::{category::Category, country::Country, id::Id},
};

/// A live message to a phone number of which the network has said whether it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettledMessage {
    /// Who sent it.
    pub organization: Id<Organization>,
    /// Where it went.
    pub range: OperatorRange,
    /// Where that is.
    pub country: Country,
    /// Whether it was a code.
    pub is_code: bool,
    /// Whether it arrived.
    pub is_delivered: bool,
}

impl SettledMessage {
    /// The message of a step that ends it; none if it does not, or if the network was never asked.
    pub fn of(step: &Step) -> Option<Self> {
        let message = step.message();
        let status = message.delivery.status();
        let draft = &message.draft;
        let is_end = status.is_final() && status != step.previous_status();
        if !is_end || message.is_sandbox || !draft.channel.takes_phone_numbers() {
            return None;
        }
        let is_delivered = status == Status::Delivered;
        let failure = message.delivery.failure().map(|failure| failure.code);
        if !is_delivered && !failure.is_some_and(is_of_the_network) {
            return None;
        }
        Some(Self {
            organization: message.organization,
            range: OperatorRange::of(&draft.recipient)?,
            country: draft.country,
            is_code: draft.category == Category::Otp,
            is_delivered,
        })
    }
}

/// Whether a message failed where its recipient is. What providers refuse for reasons of their own, never
/// had, or said nothing of for days, says nothing of the recipients.
const fn is_of_the_network(code: FailureCode) -> bool {
    matches!(
        code,
        FailureCode::InvalidRecipient
            | FailureCode::RecipientUnreachable
            | FailureCode::RecipientOptedOut
            | FailureCode::Undelivered
    )
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;
    use crate::{
        identity::organization::PLATFORM,
        messaging::{
            delivery::{Delivery, Failure},
            job::ReportApplied,
            message::{Message, MessageRequest, Terms},
            priority::Origin,
        },
        shared::{channel::Channel, money::Money},
    };

    const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn step(delivery: Delivery, is_sandbox: bool, channel: Channel) -> Step {
        let to = if channel == Channel::Email { "ama@example.com" } else { "0241234567" };
        let request = MessageRequest {
            channel: Some(channel),
            to: Some(to.into()),
            body: Some("4711".into()),
            category: Some(Category::Otp),
            ..MessageRequest::default()
        };
        let draft = request.draft(None).unwrap();
        let terms = Terms { cost: Money::ZERO, refusal: None, is_sandbox, is_confidential: false };
        let message = Message::queue(PLATFORM, draft, Origin::Single, terms, AT);
        let message = Message { delivery, ..message };
        ReportApplied { from: Status::Sent, message, due_in: None, told: None }.into()
    }

    fn failed(code: FailureCode) -> Delivery {
        Delivery::Failed { sent_at: None, at: AT, failure: Failure::new(code, "no") }
    }

    #[test]
    fn what_the_network_says_of_a_live_message_to_a_number_counts_and_nothing_else() {
        let delivered = || Delivery::Delivered { sent_at: Some(AT), at: AT };
        let settled = SettledMessage::of(&step(delivered(), false, Channel::Sms)).unwrap();
        assert!(settled.is_code && settled.is_delivered);
        assert_eq!((settled.range.to_string().as_str(), settled.country), ("+23324", Country::GH));
        let undelivered = step(failed(FailureCode::Undelivered), false, Channel::Voice);
        assert!(!SettledMessage::of(&undelivered).unwrap().is_delivered);
        for step in [
            step(delivered(), true, Channel::Sms),
            step(delivered(), false, Channel::Email),
            step(failed(FailureCode::Expired), false, Channel::Sms),
            step(failed(FailureCode::NoRoute), false, Channel::Sms),
            step(Delivery::Sent { at: AT }, false, Channel::Sms),
        ] {
            assert_eq!(SettledMessage::of(&step), None, "{step:?}");
        }
    }
}
