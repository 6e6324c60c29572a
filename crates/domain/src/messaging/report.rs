//! Effects of providers' reports on messages.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{platform::webhook_examples::example_message, shared::id::Id};
//!
//! let now = DateTime::UNIX_EPOCH;
//! let message = example_message(Id::new(now), now);
//! assert!(!message.was_given_to("nobody", None));
//! ```

use crate::messaging::{
    attempts,
    delivery::{Delivery, DeliveryEvent, Failure},
    message::Message,
};
use crate::shared::id::Id;

/// Effect of a provider's report on its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportEffect {
    /// The message moves to another state.
    Moves(Delivery),
    /// The provider gave the message up, but another has it, or may have it.
    ClosesAttempts(Failure),
    /// The report is late or repeated.
    Nothing,
}

impl Message {
    /// Returns the effect of a report of `provider` on this message; `None` stands for its holder.
    ///
    /// Any provider's confirmation counts. A failure counts only if it comes from the holder: the
    /// last provider that took the message or may have taken it.
    pub fn after_report(&self, provider: Option<&str>, event: DeliveryEvent) -> ReportEffect {
        if let (DeliveryEvent::Rejected { failure, .. }, Some(provider)) = (&event, provider)
            && !self.delivery.status().is_final()
            && self.is_held_by_another(provider)
        {
            return ReportEffect::ClosesAttempts(failure.clone());
        }
        match self.delivery.after_report(event) {
            Ok(delivery) => ReportEffect::Moves(delivery),
            Err(_) => ReportEffect::Nothing,
        }
    }

    fn is_held_by_another(&self, provider: &str) -> bool {
        attempts::holder(&self.attempts).is_some_and(|attempt| attempt.provider != provider)
    }

    /// True if the message was given to `provider`, under `reference` if the provider gave it one.
    pub fn was_given_to(&self, provider: &str, reference: Option<&str>) -> bool {
        let mut attempts = self.attempts.iter().filter(|attempt| attempt.provider == provider);
        attempts.any(|attempt| match (attempt.reference(), reference) {
            (Some(known), Some(reported)) => known == reported,
            _ => true,
        })
    }
}

/// Report of a provider on a message that it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The message, by our own identifier.
    pub message: Id<Message>,
    /// Provider that reports; `None` for the holder of the message.
    pub provider: Option<String>,
    /// Event reported.
    pub event: DeliveryEvent,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;

    use super::*;
    use crate::{
        messaging::{
            attempt::Attempt,
            delivery::FailureCode,
            message::{MessageRequest, Terms},
            outcome::{FollowUp, Outcome},
            priority::Origin,
        },
        shared::{id::Id, money::Money},
    };

    const NOW: DateTime<chrono::Utc> = DateTime::UNIX_EPOCH;

    fn failure() -> Failure {
        Failure::new(FailureCode::Undelivered, "absent")
    }

    fn unknown() -> Outcome {
        Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "no answer"))
    }

    fn taken(reference: &str) -> Outcome {
        Outcome::Accepted { reference: Some(reference.into()), follow_up: FollowUp::Report }
    }

    fn refused() -> Outcome {
        Outcome::NotAccepted { failure: failure(), retry_after: None }
    }

    fn message(delivery: Delivery, attempts: Vec<Attempt>) -> Message {
        let composition = MessageRequest {
            channel: Some(crate::shared::channel::Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            ..MessageRequest::default()
        };
        let terms =
            Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
        let draft = composition.draft(None).unwrap();
        let queued = Message::queue(Id::new(NOW), draft, Origin::Single, terms, NOW);
        Message { delivery, attempts, draft: Arc::clone(&queued.draft), ..queued }
    }

    fn rejected() -> DeliveryEvent {
        DeliveryEvent::Rejected { at: NOW, failure: failure() }
    }

    fn ended(provider: &str, outcome: &Outcome) -> Attempt {
        Attempt::start(provider, NOW).end(NOW, outcome)
    }

    #[test]
    fn only_the_holders_failure_ends_a_message() {
        let sent = Delivery::Sent { at: NOW };
        let pending = Delivery::Pending { doubt: None };
        for (delivery, attempts, reporter, ends) in [
            (sent.clone(), vec![ended("a", &taken("1"))], "a", true),
            (sent.clone(), vec![ended("a", &unknown()), ended("b", &taken("1"))], "a", false),
            (sent.clone(), vec![ended("a", &unknown()), ended("b", &taken("1"))], "b", true),
            (pending.clone(), vec![ended("a", &unknown()), Attempt::start("b", NOW)], "a", false),
            (pending.clone(), vec![ended("a", &unknown()), Attempt::start("b", NOW)], "b", true),
            (pending.clone(), vec![ended("a", &unknown()), ended("b", &refused())], "a", true),
            (pending.clone(), vec![ended("a", &unknown()), ended("b", &refused())], "b", false),
            (Delivery::NEW, vec![ended("a", &refused()), ended("b", &refused())], "a", true),
            (Delivery::NEW, vec![Attempt::start("a", NOW)], "a", true),
        ] {
            let message = message(delivery, attempts);

            let effect = message.after_report(Some(reporter), rejected());

            let expected = if ends {
                ReportEffect::Moves(message.delivery.after_report(rejected()).unwrap())
            } else {
                ReportEffect::ClosesAttempts(failure())
            };
            assert_eq!(effect, expected, "{reporter}: {:?}", message.attempts);
        }
    }

    #[test]
    fn any_provider_can_confirm_a_message() {
        for reporter in [Some("a"), Some("b"), None] {
            let attempts = vec![ended("a", &unknown()), ended("b", &taken("1"))];
            let message = message(Delivery::Sent { at: NOW }, attempts);

            let effect = message.after_report(reporter, DeliveryEvent::Confirmed { at: NOW });

            let delivered = Delivery::Delivered { sent_at: Some(NOW), at: NOW };
            assert_eq!(effect, ReportEffect::Moves(delivered), "{reporter:?}");
        }
    }

    #[test]
    fn no_report_moves_a_message_in_a_final_state() {
        let attempts = vec![ended("a", &unknown()), ended("b", &taken("1"))];
        let message = message(Delivery::Delivered { sent_at: None, at: NOW }, attempts);

        for reporter in [Some("a"), Some("b"), None] {
            assert_eq!(message.after_report(reporter, rejected()), ReportEffect::Nothing);
        }
    }

    #[test]
    fn a_message_belongs_to_its_provider_under_its_reference() {
        let attempts = vec![ended("a", &unknown()), ended("b", &taken("1"))];
        let message = message(Delivery::Sent { at: NOW }, attempts);

        for (provider, reference, expected) in [
            ("b", Some("1"), true),
            ("b", None, true),
            ("b", Some("2"), false),
            ("a", Some("2"), true),
            ("c", None, false),
        ] {
            let was_given = message.was_given_to(provider, reference);
            assert_eq!(was_given, expected, "{provider} {reference:?}");
        }
    }
}
