//! Messages with a known outcome.

use crate::{
    identity::{organization::Organization, traffic::OperatorRange},
    messaging::{
        delivery::{FailureCode, Status},
        job::Step,
    },
    shared::{category::Category, country::Country, id::Id},
};

/// A live message to a phone number whose network has reported its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettledMessage {
    /// Organization that sent it.
    pub organization: Id<Organization>,
    /// Operator range of the recipient.
    pub range: OperatorRange,
    /// Country of the recipient.
    pub country: Country,
    /// True if it was a code.
    pub is_code: bool,
    /// True if it was delivered.
    pub is_delivered: bool,
}

impl SettledMessage {
    /// Returns the message that the step ends; `None` if it ends none or the network was never asked.
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

/// True if a message failed at the recipient's network. Messages that providers refuse for reasons
/// of their own, never received, or left unanswered for days say nothing about the recipients.
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
        ReportApplied { from: Status::Sent, message, due_in: None, event: None }.into()
    }

    fn failed(code: FailureCode) -> Delivery {
        Delivery::Failed { sent_at: None, at: AT, failure: Failure::new(code, "no") }
    }

    #[test]
    fn only_network_reports_on_live_messages_to_numbers_count() {
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
