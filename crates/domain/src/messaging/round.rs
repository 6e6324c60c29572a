//! Round of a message through its routes: the next step after each answer.
//!
//! ```
//! use chrono::{DateTime, TimeDelta};
//! use domain::{
//!     messaging::{
//!         outcome::{FollowUp, Outcome},
//!         round::{Conclusion, Round},
//!     },
//!     shared::category::Category,
//! };
//!
//! let expires_at = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
//! let mut round = Round::begin(Category::Transactional, expires_at, 1);
//! let taken = Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing };
//! assert!(matches!(round.on_outcome(taken), Some(Conclusion::Sent(_))));
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    messaging::{
        delivery::{Delivery, DeliveryEvent, Failure, FailureCode, InvalidTransition},
        outcome::{FollowUp, Outcome},
        retry::{self, RetryRules},
    },
    shared::category::Category,
};

/// Round in progress.
#[derive(Debug)]
pub struct Round {
    category: Category,
    expires_at: DateTime<Utc>,
    number: u8,
    rules: Option<RetryRules>,
    last_failure: Option<Failure>,
    doubt: Option<Failure>,
    retry_after: Option<TimeDelta>,
}

/// Conclusion of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// A provider has it.
    Sent(FollowUp),
    /// The message failed for good.
    Failed(Failure),
    /// The message may be on its way; the provider that may have it is asked later.
    Doubted(Failure),
    /// No provider took it; the next round comes after the wait.
    Deferred(Failure, TimeDelta),
    /// No provider took it, and its rules allow no other round.
    Exhausted(Failure),
}

impl Round {
    /// Begins round `number` (1 is the first) of a message that is worth sending until `expires_at`.
    pub fn begin(category: Category, expires_at: DateTime<Utc>, number: u8) -> Self {
        Self {
            category,
            expires_at,
            number,
            rules: None,
            last_failure: None,
            doubt: None,
            retry_after: None,
        }
    }

    /// Returns the same round under the message's retry rules, if it has any.
    #[must_use]
    pub fn by(self, rules: Option<RetryRules>) -> Self {
        Self { rules, ..self }
    }

    /// Takes the outcome of a call. Returns `None` if the next route is to be tried.
    ///
    /// An uncertain answer ends the round, because sending twice is worse than sending late. For an
    /// urgent message the opposite holds, and the next route is tried.
    pub fn on_outcome(&mut self, outcome: Outcome) -> Option<Conclusion> {
        match outcome {
            Outcome::Accepted { follow_up, .. } => Some(Conclusion::Sent(follow_up)),
            Outcome::Rejected(failure) => Some(match self.doubt.take() {
                // An earlier provider may have the message all the same.
                Some(doubt) => Conclusion::Doubted(doubt),
                None => Conclusion::Failed(failure),
            }),
            Outcome::NotAccepted { failure, retry_after } => {
                self.last_failure = Some(failure);
                self.retry_after = self.retry_after.max(retry_after);
                None
            }
            Outcome::Unknown(failure) if self.category.is_urgent() => {
                self.doubt = Some(failure);
                None
            }
            Outcome::Unknown(failure) => Some(Conclusion::Doubted(failure)),
        }
    }

    /// Ends the round when there is no further route. Returns `None` if no provider was called and
    /// the message waits until one can be.
    ///
    /// `is_served` is true if any provider is declared for the message; `fraction` is the part, in
    /// thousandths, of the longest wait until the next round.
    pub fn finish(self, is_served: bool, now: DateTime<Utc>, fraction: u16) -> Option<Conclusion> {
        if let Some(doubt) = self.doubt {
            return Some(Conclusion::Doubted(doubt));
        }
        if let Some(failure) = self.last_failure {
            if !RetryRules::allow_another(self.rules, self.number) {
                return Some(Conclusion::Exhausted(failure));
            }
            let seconds = self.rules.and_then(|rules| rules.backoff_seconds);
            let wait = match seconds.map(|seconds| TimeDelta::seconds(seconds.into())) {
                Some(wait) => wait.max(self.retry_after.unwrap_or_default()),
                None => retry::back_off(self.category, self.number, self.retry_after, fraction),
            };
            let left = (self.expires_at - now).max(TimeDelta::zero());
            return Some(Conclusion::Deferred(failure, wait.min(left)));
        }
        if is_served {
            return None;
        }
        let reason = "no provider serves this recipient";
        Some(Conclusion::Failed(Failure::new(FailureCode::NoRoute, reason)))
    }
}

impl Conclusion {
    /// Returns the state at `now` of a message that was in `delivery` before the round, and the
    /// time until it is due again. `report_timeout` is the time to wait for the provider's report.
    pub fn apply(
        self,
        delivery: &Delivery,
        now: DateTime<Utc>,
        report_timeout: TimeDelta,
    ) -> Result<(Delivery, Option<TimeDelta>), InvalidTransition> {
        let (event, due_in) = match self {
            Self::Sent(FollowUp::Nothing) => (DeliveryEvent::Accepted { at: now }, None),
            Self::Sent(FollowUp::Report) => {
                (DeliveryEvent::Accepted { at: now }, Some(report_timeout))
            }
            Self::Failed(failure) | Self::Exhausted(failure) => {
                (DeliveryEvent::Rejected { at: now, failure }, None)
            }
            Self::Doubted(failure) => (DeliveryEvent::Doubted { failure }, Some(report_timeout)),
            Self::Deferred(failure, wait) => (DeliveryEvent::Deferred { failure }, Some(wait)),
        };
        let dispatched = delivery.after(DeliveryEvent::Dispatched)?;
        Ok((dispatched.after(event)?, due_in))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn failure(code: FailureCode) -> Failure {
        Failure::new(code, "it says no")
    }

    /// A round of a message that is worth sending for an hour.
    fn round(category: Category, number: u8) -> Round {
        Round::begin(category, NOW + TimeDelta::hours(1), number)
    }

    fn unknown() -> Outcome {
        Outcome::Unknown(failure(FailureCode::UnknownOutcome))
    }

    fn refused() -> Outcome {
        let failure = failure(FailureCode::ProviderUnavailable);
        Outcome::NotAccepted { failure, retry_after: None }
    }

    fn accepted() -> Outcome {
        Outcome::Accepted { reference: None, follow_up: FollowUp::Nothing }
    }

    #[test]
    fn a_refusal_of_one_route_leads_to_the_next() {
        let mut round = round(Category::Transactional, 1);
        assert_eq!(round.on_outcome(refused()), None);
        assert_eq!(round.on_outcome(accepted()), Some(Conclusion::Sent(FollowUp::Nothing)));
    }

    #[test]
    fn a_bad_recipient_fails_at_once() {
        let mut round = round(Category::Transactional, 1);
        let bad = failure(FailureCode::InvalidRecipient);
        assert_eq!(round.on_outcome(Outcome::Rejected(bad.clone())), Some(Conclusion::Failed(bad)));
    }

    #[test]
    fn an_uncertain_answer_stops_an_ordinary_message_and_not_a_code() {
        let doubted = Conclusion::Doubted(failure(FailureCode::UnknownOutcome));
        let mut ordinary = round(Category::Transactional, 1);
        assert_eq!(ordinary.on_outcome(unknown()), Some(doubted.clone()));

        let mut code = round(Category::Otp, 1);
        assert_eq!(code.on_outcome(unknown()), None);
        assert_eq!(code.on_outcome(refused()), None);
        assert_eq!(code.finish(true, NOW, 0), Some(doubted));
    }

    #[test]
    fn a_failed_round_is_repeated_until_the_message_expires() {
        for (left, expected) in [(TimeDelta::hours(1), 600), (TimeDelta::seconds(9), 9)] {
            let mut round = Round::begin(Category::Transactional, NOW + left, u8::MAX);
            round.on_outcome(refused());
            let last_failure = failure(FailureCode::ProviderUnavailable);
            let deferred = Conclusion::Deferred(last_failure, TimeDelta::seconds(expected));
            assert_eq!(round.finish(true, NOW, 1_000), Some(deferred));
        }
    }

    #[test]
    fn rules_set_the_time_between_rounds_and_their_number() {
        let rules = RetryRules { max_attempts: Some(2), backoff_seconds: Some(30) };
        let refused_in = |number, retry_after| {
            let mut round = round(Category::Transactional, number).by(Some(rules));
            let failure = failure(FailureCode::ProviderUnavailable);
            round.on_outcome(Outcome::NotAccepted { failure, retry_after });
            round.finish(true, NOW, 1)
        };
        let last_failure = failure(FailureCode::ProviderUnavailable);
        let deferred =
            |seconds| Some(Conclusion::Deferred(last_failure.clone(), TimeDelta::seconds(seconds)));

        assert_eq!(refused_in(1, None), deferred(30));
        assert_eq!(refused_in(1, Some(TimeDelta::seconds(45))), deferred(45));
        assert_eq!(refused_in(2, None), Some(Conclusion::Exhausted(last_failure.clone())));
    }

    #[test]
    fn a_round_in_which_nobody_was_called_changes_nothing() {
        assert_eq!(round(Category::Transactional, 1).finish(true, NOW, 0), None);
    }

    #[test]
    fn a_refusal_counts_although_another_provider_was_not_called() {
        let mut round = round(Category::Transactional, 1);
        round.on_outcome(refused());
        let end = round.finish(true, NOW, 0);
        assert!(matches!(end, Some(Conclusion::Deferred(..))), "{end:?}");
    }

    #[test]
    fn a_message_without_route_fails_without_another_round() {
        let end = round(Category::Transactional, 1).finish(false, NOW, 0);
        let Some(Conclusion::Failed(failure)) = end else { panic!("{end:?}") };
        assert_eq!(failure.code, FailureCode::NoRoute);
    }

    #[test]
    fn a_sent_message_is_due_when_its_report_is_overdue() {
        let report_timeout = TimeDelta::minutes(10);
        let sent = Conclusion::Sent(FollowUp::Report).apply(&Delivery::NEW, NOW, report_timeout);
        assert_eq!(sent, Ok((Delivery::Sent { at: NOW }, Some(report_timeout))));

        let final_word =
            Conclusion::Sent(FollowUp::Nothing).apply(&Delivery::NEW, NOW, report_timeout);
        assert_eq!(final_word, Ok((Delivery::Sent { at: NOW }, None)));
    }
}
