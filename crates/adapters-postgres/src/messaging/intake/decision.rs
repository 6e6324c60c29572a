//! Decisions about the submissions of a batch, as pure functions of the facts given.

use std::collections::{HashMap, HashSet};

use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{Failure, FailureCode},
        message::Message,
        resend::Resend,
    },
    money::funds::Funds,
    shared::{address::Address, category::Category, channel::Channel, id::Id, money::Money},
};
use ports::{
    messaging::messages::{Advance, IntakeError, Submission},
    shared::store::StoreError,
};

use super::advances::Positions;
use crate::messaging::{resends::Replacements, triggers::TriggerPositions};

/// Facts by which a batch is decided.
#[derive(Debug, Default)]
pub(super) struct StoredFacts {
    /// Amounts that can be paid from the wallets.
    pub(super) funds: HashMap<Id<Organization>, Funds>,
    /// Idempotency keys in use.
    pub(super) keys: HashMap<KeyName, StoredKey>,
    /// Suppressed recipients.
    pub(super) suppressed: Suppressed,
    /// Positions of campaigns; `None` if they were not read.
    pub(super) positions: Option<Positions>,
    /// Positions of triggers; `None` if they were not read.
    pub(super) triggers: Option<TriggerPositions>,
    /// Repetitions of failed messages; `None` if they were not read.
    pub(super) resends: Option<Replacements>,
}

/// Suppressed recipients, with organization, channel and category.
pub(super) type Suppressed = HashSet<(Id<Organization>, Channel, Category, Address)>;

/// Organization of an idempotency key, true if it is of the sandbox, and its text.
pub(super) type KeyName = (Id<Organization>, bool, String);

/// Request that was accepted under an idempotency key.
#[derive(Debug, Clone)]
pub(super) struct StoredKey {
    pub(super) fingerprint: [u8; 32],
    pub(super) messages: Vec<Id<Message>>,
}

/// Decision about a submission.
#[derive(Debug)]
pub(super) enum Decision {
    /// Accepts these messages.
    Accept(Vec<Message>),
    /// Replays the messages that were accepted for the same request.
    Replay(Vec<Id<Message>>),
    /// Refuses the submission.
    Refuse(IntakeError),
}

impl Decision {
    /// True if the decision would be the same without knowledge of wallets, keys and suppressions.
    pub(super) fn is_plain(&self) -> bool {
        let is_suppressed = |failure: &Failure| failure.code == FailureCode::RecipientSuppressed;
        match self {
            Self::Accept(messages) => {
                !messages.iter().filter_map(Message::refusal).any(is_suppressed)
            }
            // It predicts nothing about the next one.
            Self::Refuse(IntakeError::Overtaken) => true,
            Self::Replay(_) | Self::Refuse(_) => false,
        }
    }
}

/// Decides submissions in the order of their arrival, each against the state that those before it
/// left.
pub(super) fn decide(submissions: &[&Submission], mut known: StoredFacts) -> Vec<Decision> {
    submissions.iter().map(|submission| known.decide(submission)).collect()
}

impl StoredFacts {
    fn decide(&mut self, submission: &Submission) -> Decision {
        let organization = submission.organization;
        let idempotency = submission.idempotency.as_ref();
        let key = idempotency.map(|it| (organization, it.is_sandbox, it.key.clone()));
        if let (Some(idempotency), Some(key)) = (idempotency, &key)
            && let Some(known) = self.keys.get(key)
        {
            return if known.fingerprint == idempotency.fingerprint {
                Decision::Replay(known.messages.clone())
            } else {
                Decision::Refuse(IntakeError::IdempotencyKeyReused)
            };
        }
        if !self.is_next(submission.advance.as_ref()) {
            return Decision::Refuse(IntakeError::Overtaken);
        }
        let messages: Vec<_> =
            submission.messages.iter().map(|message| self.unless_suppressed(message)).collect();
        let cost = messages.iter().map(|message| message.cost).sum();
        if let Err(refusal) = self.pay(organization, cost) {
            return Decision::Refuse(refusal);
        }
        self.move_on(submission.advance.as_ref());
        if let (Some(idempotency), Some(key)) = (idempotency, key) {
            let messages = messages.iter().map(|message| message.id).collect();
            let known = StoredKey { fingerprint: idempotency.fingerprint, messages };
            self.keys.insert(key, known);
        }
        Decision::Accept(messages)
    }

    /// True if the advance is possible, and continues from the current position.
    fn is_next(&self, advance: Option<&Advance>) -> bool {
        match (advance, &self.positions, &self.triggers) {
            (Some(Advance::Campaign(advance)), Some(positions), _) => {
                positions.get(&advance.campaign) == Some(&advance.after)
            }
            (Some(Advance::Trigger(trigger)), _, Some(triggers)) => {
                let tried = trigger.tried();
                tried == 1 || triggers.get(&trigger.id).is_some_and(|known| known + 1 == tried)
            }
            (Some(Advance::Resend(resend)), _, _) => self.is_latest(resend),
            _ => true,
        }
    }

    /// True if a failed message was not sent again yet, or only by the former replacement.
    fn is_latest(&self, resend: &Resend) -> bool {
        match self.resends.as_ref().and_then(|known| known.get(&resend.message)) {
            None => true,
            Some(replacement) => resend.former == Some(*replacement),
        }
    }

    /// Nothing advances twice in a statement.
    fn move_on(&mut self, advance: Option<&Advance>) {
        if let (Some(Advance::Resend(resend)), Some(known)) = (advance, &mut self.resends) {
            known.insert(resend.message, resend.replacement);
        }
        match (advance, &mut self.positions, &mut self.triggers) {
            (Some(Advance::Campaign(advance)), Some(positions), _) => {
                positions.remove(&advance.campaign);
            }
            (Some(Advance::Trigger(trigger)), _, Some(triggers)) => {
                triggers.remove(&trigger.id);
            }
            _ => {}
        }
    }

    fn pay(&mut self, organization: Id<Organization>, cost: Money) -> Result<(), IntakeError> {
        match self.funds.get_mut(&organization) {
            Some(funds) => *funds = funds.pay(cost)?,
            None if cost == Money::ZERO => {}
            None => return Err(StoreError::Unavailable("the wallet is not open yet".into()).into()),
        }
        Ok(())
    }

    fn unless_suppressed(&self, message: &Message) -> Message {
        let draft = &message.draft;
        let is_barred = |kind| {
            let recipient = (message.organization, draft.channel, kind, draft.recipient.clone());
            self.suppressed.contains(&recipient)
        };
        if !self.suppressed.is_empty() && message.kinds().any(is_barred) {
            let reason = "the recipient is on the suppression list";
            return message.clone().refused(Failure::new(FailureCode::RecipientSuppressed, reason));
        }
        message.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chrono::DateTime;
    use domain::{
        messaging::{
            attempt::Attempt,
            message::{MessageRequest, Terms},
            priority::Origin,
        },
        money::funds::Allowance,
        shared::channel::Channel,
    };
    use ports::messaging::messages::{FirstWorker, Idempotency};

    use super::*;

    const PRICE: Money = Money::from_micros(35_000);

    fn message(organization: Id<Organization>) -> Message {
        let composition = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            ..MessageRequest::default()
        };
        let terms = Terms { cost: PRICE, refusal: None, is_sandbox: false, is_confidential: false };
        let draft = composition.draft(None).unwrap();
        Message::queue(organization, draft, Origin::Single, terms, DateTime::UNIX_EPOCH)
    }

    fn submission(organization: Id<Organization>, count: usize, key: Option<u8>) -> Submission {
        Submission {
            organization,
            idempotency: key.map(|fingerprint| Idempotency {
                key: "order-1".into(),
                is_sandbox: false,
                fingerprint: [fingerprint; 32],
                gaps: Vec::new(),
            }),
            messages: (0..count).map(|_| message(organization)).collect(),
            first_worker: FirstWorker::Workers,
            advance: None,
        }
    }

    fn known(organization: Id<Organization>, pays_for: u16) -> StoredFacts {
        let funds = Funds { balance: PRICE * pays_for, allowance: None };
        StoredFacts { funds: HashMap::from([(organization, funds)]), ..StoredFacts::default() }
    }

    #[test]
    fn a_wallet_pays_whole_submissions_in_the_order_of_arrival() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let submissions = [2, 3, 1, 1].map(|count| submission(organization, count, None));
        let submissions: Vec<_> = submissions.iter().collect();

        let decisions = decide(&submissions, known(organization, 3));

        let accepted = decisions.iter().map(|it| matches!(it, Decision::Accept(_)));
        assert_eq!(accepted.collect::<Vec<_>>(), [true, false, true, false]);
    }

    #[test]
    fn refuses_a_submission_above_the_daily_limit_but_not_a_smaller_one() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let submissions = [2, 2, 1].map(|count| submission(organization, count, None));
        let submissions: Vec<_> = submissions.iter().collect();
        let mut known = known(organization, 9);
        let allowance = Allowance::at(DateTime::UNIX_EPOCH, PRICE * 3, None, Money::ZERO);
        known.funds.get_mut(&organization).unwrap().allowance = Some(allowance);

        let decisions = decide(&submissions, known);

        assert!(matches!(decisions[0], Decision::Accept(_)));
        assert!(matches!(
            &decisions[1],
            Decision::Refuse(IntakeError::SpendingLimitReached(it)) if it.left() == PRICE
        ));
        assert!(matches!(decisions[2], Decision::Accept(_)));
        assert!(!decisions[1].is_plain());
    }

    #[test]
    fn one_key_makes_one_debit_also_within_a_batch() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let same = submission(organization, 1, Some(1));
        let other = submission(organization, 1, Some(2));

        let decisions = decide(&[&same, &same, &other], known(organization, 3));

        let Decision::Accept(messages) = &decisions[0] else { panic!("it was not accepted") };
        assert!(matches!(&decisions[1], Decision::Replay(ids) if ids[0] == messages[0].id));
        assert!(matches!(&decisions[2], Decision::Refuse(IntakeError::IdempotencyKeyReused)));
    }

    #[test]
    fn sandbox_and_live_have_keys_of_their_own() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let live = submission(organization, 1, Some(1));
        let mut sandbox = submission(organization, 1, Some(2));
        sandbox.idempotency.as_mut().unwrap().is_sandbox = true;

        let decisions = decide(&[&live, &sandbox], known(organization, 2));

        assert!(decisions.iter().all(|it| matches!(it, Decision::Accept(_))), "{decisions:?}");
    }

    #[test]
    fn a_refused_request_leaves_its_key_free() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let dear = submission(organization, 2, Some(1));
        let cheap = submission(organization, 1, Some(2));

        let decisions = decide(&[&dear, &cheap], known(organization, 1));

        assert!(matches!(&decisions[0], Decision::Refuse(IntakeError::InsufficientBalance(_))));
        assert!(matches!(&decisions[1], Decision::Accept(_)));
    }

    #[test]
    fn a_missing_wallet_is_temporary_and_blocks_no_free_messages() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let paid = submission(organization, 1, None);
        let mut free = submission(organization, 1, None);
        free.messages[0].cost = Money::ZERO;

        let decisions = decide(&[&paid, &free], StoredFacts::default());

        let refused = &decisions[0];
        assert!(
            matches!(refused, Decision::Refuse(IntakeError::Store(StoreError::Unavailable(_)))),
            "{refused:?}"
        );
        assert!(matches!(&decisions[1], Decision::Accept(_)));
    }

    #[test]
    fn a_suppressed_recipient_costs_nothing_and_is_not_attempted() {
        let organization = Id::new(DateTime::UNIX_EPOCH);
        let mut submission = submission(organization, 1, None);
        let planned = Attempt::plan("first", DateTime::UNIX_EPOCH);
        submission.messages[0].attempts.push(planned);
        let recipient = submission.messages[0].draft.recipient.clone();
        let category = submission.messages[0].draft.category;
        let suppressed = HashSet::from([(organization, Channel::Sms, category, recipient)]);

        let decisions =
            decide(&[&submission], StoredFacts { suppressed, ..known(organization, 0) });

        let Decision::Accept(messages) = &decisions[0] else { panic!("it was not accepted") };
        assert_eq!(messages[0].cost, Money::ZERO);
        assert!(messages[0].refusal().is_some());
        assert_eq!(messages[0].attempts, []);
    }
}
