//! One round of a message through its routes: what each answer means for the next step.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    category::Category,
    delivery::{Delivery, DeliveryEvent, Failure, FailureCode, InvalidTransition},
    provider::outcome::{FollowUp, Outcome},
    retry,
};

/// A round that is under way.
#[derive(Debug)]
pub struct Round {
    category: Category,
    expires_at: DateTime<Utc>,
    number: u8,
    last_failure: Option<Failure>,
    doubt: Option<Failure>,
    retry_after: Option<TimeDelta>,
    is_place_expected: bool,
}

/// Where a round leaves a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// A provider has it.
    Sent(FollowUp),
    /// It failed for good.
    Failed(Failure),
    /// It may be on its way; whoever may have it is asked later.
    Doubted(Failure),
    /// No provider took it; the next round comes after the wait.
    Deferred(Failure, TimeDelta),
}

/// How a round ended when there was no further route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With a step of the message.
    Concluded(Conclusion),
    /// No provider was called: nothing has happened, and the message waits for a place at one.
    Waiting,
}

impl Round {
    /// Begins round `number` (1 is the first) of a message that is worth sending until `expires_at`.
    pub fn begin(category: Category, expires_at: DateTime<Utc>, number: u8) -> Self {
        Self {
            category,
            expires_at,
            number,
            last_failure: None,
            doubt: None,
            retry_after: None,
            is_place_expected: false,
        }
    }

    /// Takes a provider's answer in. `None` means that the next route is to be tried.
    ///
    /// An uncertain answer ends the round, for twice is worse than late, unless the message is
    /// urgent, when it is the other way about.
    pub fn hear(&mut self, outcome: Outcome) -> Option<Conclusion> {
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

    /// Notes that there is a provider that could not be called now.
    pub const fn expect_place(&mut self) {
        self.is_place_expected = true;
    }

    /// Ends the round when there is no further route. `fraction` is the part, in thousandths, of
    /// the longest wait until the next.
    pub fn end(self, now: DateTime<Utc>, fraction: u16) -> End {
        let left = (self.expires_at - now).max(TimeDelta::zero());
        End::Concluded(match (self.doubt, self.last_failure) {
            (Some(doubt), _) => Conclusion::Doubted(doubt),
            (None, Some(last_failure)) => {
                let wait = retry::back_off(self.category, self.number, self.retry_after, fraction);
                Conclusion::Deferred(last_failure, wait.min(left))
            }
            (None, None) if self.is_place_expected => return End::Waiting,
            (None, None) => Conclusion::Failed(Failure::new(
                FailureCode::NoRoute,
                "no provider serves this recipient",
            )),
        })
    }
}

impl Conclusion {
    /// The state of a message that was in `delivery` before the round and came to this at `now`,
    /// and when it is due again. `patience` is how long to wait for a provider's word.
    pub fn apply(
        self,
        delivery: &Delivery,
        now: DateTime<Utc>,
        patience: TimeDelta,
    ) -> Result<(Delivery, Option<TimeDelta>), InvalidTransition> {
        let (event, due_in) = match self {
            Self::Sent(FollowUp::Nothing) => (DeliveryEvent::Accepted { at: now }, None),
            Self::Sent(FollowUp::Report) => (DeliveryEvent::Accepted { at: now }, Some(patience)),
            Self::Failed(failure) => (DeliveryEvent::Rejected { at: now, failure }, None),
            Self::Doubted(failure) => (DeliveryEvent::Doubted { failure }, Some(patience)),
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
        assert_eq!(round.hear(refused()), None);
        assert_eq!(round.hear(accepted()), Some(Conclusion::Sent(FollowUp::Nothing)));
    }

    #[test]
    fn a_bad_recipient_fails_at_once() {
        let mut round = round(Category::Transactional, 1);
        let bad = failure(FailureCode::InvalidRecipient);
        assert_eq!(round.hear(Outcome::Rejected(bad.clone())), Some(Conclusion::Failed(bad)));
    }

    #[test]
    fn an_uncertain_answer_stops_an_ordinary_message_and_not_a_code() {
        let doubted = Conclusion::Doubted(failure(FailureCode::UnknownOutcome));
        let mut ordinary = round(Category::Transactional, 1);
        assert_eq!(ordinary.hear(unknown()), Some(doubted.clone()));

        let mut code = round(Category::Otp, 1);
        assert_eq!(code.hear(unknown()), None);
        assert_eq!(code.hear(refused()), None);
        assert_eq!(code.end(NOW, 0), End::Concluded(doubted));
    }

    #[test]
    fn a_round_without_success_is_repeated_as_long_as_the_message_is_worth_sending() {
        for (left, expected) in [(TimeDelta::hours(1), 600), (TimeDelta::seconds(9), 9)] {
            let mut round = Round::begin(Category::Transactional, NOW + left, u8::MAX);
            round.hear(refused());
            let last_failure = failure(FailureCode::ProviderUnavailable);
            let deferred = Conclusion::Deferred(last_failure, TimeDelta::seconds(expected));
            assert_eq!(round.end(NOW, 1_000), End::Concluded(deferred));
        }
    }

    #[test]
    fn a_round_in_which_nobody_was_called_changes_nothing() {
        let mut round = round(Category::Transactional, 1);
        round.expect_place();
        assert_eq!(round.end(NOW, 0), End::Waiting);
    }

    #[test]
    fn a_refusal_counts_although_another_provider_was_not_called() {
        let mut round = round(Category::Transactional, 1);
        round.expect_place();
        round.hear(refused());
        let end = round.end(NOW, 0);
        assert!(matches!(end, End::Concluded(Conclusion::Deferred(..))), "{end:?}");
    }

    #[test]
    fn a_message_without_route_fails_without_another_round() {
        let end = round(Category::Transactional, 1).end(NOW, 0);
        let End::Concluded(Conclusion::Failed(failure)) = end else { panic!("{end:?}") };
        assert_eq!(failure.code, FailureCode::NoRoute);
    }

    #[test]
    fn a_message_in_a_providers_hands_is_due_when_patience_ends() {
        let patience = TimeDelta::minutes(10);
        let sent = Conclusion::Sent(FollowUp::Report).apply(&Delivery::NEW, NOW, patience);
        assert_eq!(sent, Ok((Delivery::Sent { at: NOW }, Some(patience))));

        let final_word = Conclusion::Sent(FollowUp::Nothing).apply(&Delivery::NEW, NOW, patience);
        assert_eq!(final_word, Ok((Delivery::Sent { at: NOW }, None)));
    }
}
