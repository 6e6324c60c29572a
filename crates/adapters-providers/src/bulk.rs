//! One text for many recipients: how it is handed over in one call, and how the answer is told
//! apart.

use async_trait::async_trait;
use domain::{
    delivery::{Failure, FailureCode},
    message::Message,
    provider::Outcome,
};

use crate::verdict::unknown;

/// A vendor that takes one text for many recipients in one call.
#[async_trait]
pub(crate) trait Bulk: Sync {
    /// Hands messages of the same text and sender over in one call: an outcome for each, or the
    /// one of the call as a whole.
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome>;

    /// Hands one message over.
    async fn send_one(&self, message: &Message) -> Outcome {
        match self.hand_over(std::slice::from_ref(message)).await {
            Ok(outcomes) => outcomes.into_iter().next().unwrap_or_else(unmentioned),
            Err(outcome) => outcome,
        }
    }

    /// Hands messages over together, in one call.
    async fn send_many(&self, messages: &[Message]) -> Vec<Outcome> {
        if messages.is_empty() {
            return Vec::new();
        }
        let outcomes = self.hand_over(messages).await;
        outcomes.unwrap_or_else(|outcome| vec![of_many(outcome, messages.len()); messages.len()])
    }
}

/// What a call for `count` messages came to as a whole. That one recipient cannot be reached is no
/// reason why none can: each has to be tried on its own.
pub(crate) fn of_many(outcome: Outcome, count: usize) -> Outcome {
    match outcome {
        Outcome::NotAccepted { failure, retry_after }
            if count > 1 && failure.code == FailureCode::RecipientUnreachable =>
        {
            let failure = Failure { code: FailureCode::ProviderRejected, ..failure };
            Outcome::NotAccepted { failure, retry_after }
        }
        outcome => outcome,
    }
}

/// What it means that the vendor's answer leaves a message out.
pub(crate) fn unmentioned() -> Outcome {
    unknown("the provider's answer does not mention the message")
}

/// Takes the first entry out of `entries` that is for the recipient of a message.
pub(crate) fn take<T>(entries: &mut Vec<T>, is_for: impl Fn(&T) -> bool) -> Option<T> {
    let at = entries.iter().position(is_for)?;
    Some(entries.remove(at))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{
        fixture::sms,
        verdict::{Verdict, accepted},
    };

    /// A vendor that refuses groups.
    struct Single(Mutex<Vec<usize>>, Verdict);

    #[async_trait]
    impl Bulk for Single {
        async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
            self.0.lock().unwrap().push(messages.len());
            if messages.len() > 1 {
                Err(self.1.outcome("400", None))
            } else {
                Ok(vec![accepted(None)])
            }
        }
    }

    #[tokio::test]
    async fn a_group_is_one_call_and_shares_its_refusal() {
        let messages = [sms("+233241234567"), sms("+233241234568")];
        for verdict in [Verdict::Rejected(FailureCode::InvalidRecipient), Verdict::Unknown] {
            let vendor = Single(Mutex::default(), verdict);

            let outcomes = vendor.send_many(&messages).await;

            assert_eq!(outcomes, vec![verdict.outcome("400", None); 2]);
            assert!(vendor.send_many(&[]).await.is_empty());
            assert_eq!(*vendor.0.lock().unwrap(), [2]);
        }
    }

    #[test]
    fn a_recipient_that_cannot_be_reached_does_not_speak_for_a_group() {
        for (count, code) in
            [(1, FailureCode::RecipientUnreachable), (2, FailureCode::ProviderRejected)]
        {
            let refused =
                Verdict::NotAccepted(FailureCode::RecipientUnreachable).outcome("4", None);
            let Outcome::NotAccepted { failure, .. } = of_many(refused, count) else { panic!() };
            assert_eq!(failure.code, code, "{count}");
        }
    }
}
