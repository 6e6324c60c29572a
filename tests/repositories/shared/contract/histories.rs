//! Agreement of all stores on random histories.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    messaging::{
        attempt::Attempt,
        delivery::{DeliveryEvent, Failure, FailureCode},
        job::{AttemptBegun, Job, JobConcluded, JobPostponed, ReportApplied, Step},
        message::Message,
        outcome::Outcome,
        priority::ProviderQueue,
    },
    money::wallet::{Credit, LedgerKind},
    shared::{id::Id, money::Money},
};
use ports::messaging::messages::{Idempotency, IntakeError, Receipt, Submission};
use proptest::{prelude::*, sample::Index, strategy::ValueTree, test_runner::TestRunner};
use testkit::is_long;

use super::{PRICE, Subject, subjects};
use crate::{minutes, now};

/// Number of histories replayed on all stores, in short and as a whole, and of acts in each. Together these
/// are a thousand acts or more.
const HISTORIES: [usize; 2] = [12, 24];
const LENGTH: usize = 100;
/// Number of histories replayed in memory only.
const HISTORIES_IN_MEMORY: usize = 400;
/// Initial credit of the wallet, small enough to run out.
const CREDIT: Money = Money::from_micros(PRICE.micros() * 12);

/// An act of a history. An index selects among the messages, or the jobs, known so far.
#[derive(Debug, Clone)]
enum Act {
    Submit { messages: usize, key: Option<(u8, bool, u8)> },
    Claim,
    Release(Index),
    Step(Index, Kind),
    Report(Index, Word, bool),
    Credit { reference: u8, times: u16 },
    Pass(i64),
}

/// A step of a worker on a job that it has, or had.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Begin,
    Take,
    Defer,
    Doubt,
    Deliver,
    Fail,
    Postpone,
}

/// A report of a provider.
#[derive(Debug, Clone, Copy)]
enum Word {
    Accepted,
    Confirmed,
    Rejected,
}

fn act() -> impl Strategy<Value = Act> {
    let key = prop::option::of((0..3_u8, any::<bool>(), 0..2_u8));
    let kind = prop::sample::select(vec![
        Kind::Begin,
        Kind::Begin,
        Kind::Take,
        Kind::Take,
        Kind::Defer,
        Kind::Doubt,
        Kind::Deliver,
        Kind::Fail,
        Kind::Postpone,
    ]);
    let word = prop::sample::select(vec![Word::Accepted, Word::Confirmed, Word::Rejected]);
    prop_oneof![
        3 => (1..4_usize, key).prop_map(|(messages, key)| Act::Submit { messages, key }),
        3 => Just(Act::Claim),
        1 => any::<Index>().prop_map(Act::Release),
        8 => (any::<Index>(), kind).prop_map(|(job, kind)| Act::Step(job, kind)),
        3 => (any::<Index>(), word, any::<bool>())
            .prop_map(|(message, word, is_late)| Act::Report(message, word, is_late)),
        1 => (0..4_u8, 1..5_u16).prop_map(|(reference, times)| Act::Credit { reference, times }),
        1 => prop::sample::select(vec![45, 130, 700]).prop_map(Act::Pass),
    ]
}

/// A store under a history, and the jobs claimed from it. Messages have a number in each history,
/// and jobs at the same place belong to the same message in each store.
struct Run {
    subject: Subject,
    /// All claimed jobs, including those whose lease is lost.
    jobs: Vec<Job>,
}

/// The part of an act's result that must be equal in all stores.
type Answer = String;

impl Run {
    async fn act(&mut self, act: &Act, given: &Given) -> Answer {
        match act {
            Act::Submit { .. } => self.submit(given).await,
            Act::Claim => self.claim().await,
            Act::Release(index) => self.release(*index).await,
            Act::Step(index, kind) => self.step(*index, *kind).await,
            Act::Report(index, word, is_late) => self.report(*index, *word, *is_late, given).await,
            Act::Credit { reference, times } => self.credit(*reference, *times).await,
            Act::Pass(seconds) => {
                self.subject.pass(TimeDelta::seconds(*seconds)).await;
                String::new()
            }
        }
    }

    async fn submit(&self, given: &Given) -> Answer {
        let Some(submission) = &given.submission else { return String::new() };
        match self.subject.intake.accept(submission.clone()).await {
            Ok(Receipt::Accepted(jobs)) => jobs.len().to_string(),
            Ok(Receipt::Replayed(messages)) => format!("{messages:?}"),
            Err(IntakeError::Store(error)) => panic!("{error:?}"),
            Err(refused) => refused.to_string(),
        }
    }

    async fn claim(&mut self) -> Answer {
        let mut claimed = self.subject.claim().await;
        claimed.sort_by_key(|job| job.message.id);
        let shown = |job: &Job| (job.message.clone(), job.rounds, job.provider_queue);
        let answer = format!("{:?}", claimed.iter().map(shown).collect::<Vec<_>>());
        self.jobs.extend(claimed);
        answer
    }

    async fn release(&self, index: Index) -> Answer {
        if let Some(job) = self.job(index) {
            self.subject.jobs.release(std::slice::from_ref(job)).await.unwrap();
        }
        String::new()
    }

    fn job(&self, index: Index) -> Option<&Job> {
        (!self.jobs.is_empty()).then(|| &self.jobs[index.index(self.jobs.len())])
    }

    async fn step(&mut self, index: Index, kind: Kind) -> Answer {
        let Some(job) = self.job(index).cloned() else { return String::new() };
        let Some(step) = step(&job, kind) else { return "makes no sense".to_owned() };
        let recorded = self.subject.record(step.clone()).await;
        if let Step::AttemptBegun(_) = step {
            let place = index.index(self.jobs.len());
            self.jobs[place].message = step.into_message();
        }
        format!("{recorded:?}")
    }

    async fn report(&self, index: Index, word: Word, is_late: bool, given: &Given) -> Answer {
        if given.messages.is_empty() {
            return String::new();
        }
        let first = &given.messages[index.index(given.messages.len())];
        let Some(mut message) = self.subject.jobs.find(first.id).await.unwrap() else {
            return "unknown".to_owned();
        };
        if is_late {
            // The sender of the report read the message before any step.
            message.delivery = first.delivery.clone();
        }
        let from = message.delivery.status();
        let Ok(delivery) = message.delivery.after_report(word.event()) else {
            return "late".to_owned();
        };
        let message = Message { delivery, ..message };
        let due_in = matches!(word, Word::Accepted).then(|| minutes(10));
        let report = ReportApplied { message, from, due_in, event: None };
        format!("{:?}", self.subject.record(report).await)
    }

    async fn credit(&self, reference: u8, times: u16) -> Answer {
        let organization = self.subject.organization;
        let credit = Credit {
            id: Id::new_in(now(), organization),
            organization,
            kind: LedgerKind::TopUp,
            reference: format!("ref-{reference}"),
            amount: PRICE * times,
            at: now(),
        };
        format!("{:?}", self.subject.wallets.credit(&credit).await.unwrap())
    }

    /// The final messages and books.
    async fn end(&self, given: &Given) -> End {
        let mut messages = Vec::new();
        for message in &given.messages {
            messages.push(self.subject.jobs.find(message.id).await.unwrap());
        }
        let ledger = self.subject.ledger(self.subject.organization).await;
        End { messages, balance: self.subject.balance().await, ledger }
    }
}

/// The result of a history.
#[derive(Debug, PartialEq)]
struct End {
    /// Messages in the order of submission; `None` if the message was not accepted.
    messages: Vec<Option<Message>>,
    balance: Money,
    ledger: BTreeMap<String, (Money, i64)>,
}

/// The input that all stores share.
#[derive(Default)]
struct Given {
    submission: Option<Submission>,
    /// Every submitted message, as it was submitted.
    messages: Vec<Message>,
}

impl Given {
    /// Prepares the input of an act.
    fn prepare(&mut self, act: &Act, subject: &Subject) {
        let Act::Submit { messages, key } = act else { return };
        let messages = subject.messages(*messages);
        self.messages.extend(messages.iter().cloned());
        let idempotency = key.map(|(key, is_sandbox, fingerprint)| Idempotency {
            key: format!("key-{key}"),
            is_sandbox,
            fingerprint: [fingerprint; 32],
            gaps: Vec::new(),
        });
        self.submission = Some(Submission { idempotency, ..Subject::submission(&messages) });
    }
}

impl Word {
    fn event(self) -> DeliveryEvent {
        match self {
            Self::Accepted => super::accepted(),
            Self::Confirmed => super::confirmed(),
            Self::Rejected => DeliveryEvent::Rejected { at: now(), failure: failure() },
        }
    }
}

fn failure() -> Failure {
    Failure::new(FailureCode::Undelivered, "absent").with_vendor_code("27")
}

/// The step of a worker; `None` if the state machine does not allow it.
fn step(job: &Job, kind: Kind) -> Option<Step> {
    let delivery = &job.message.delivery;
    let conclude = |event, due_in| {
        let delivery = delivery.after_report(event).ok()?;
        Some(
            JobConcluded {
                due_in,
                provider_queue: ProviderQueue(3),
                ..job.clone().conclude(delivery)
            }
            .into(),
        )
    };
    match kind {
        Kind::Begin => {
            let mut message = job.message.clone();
            message.delivery = delivery.after(DeliveryEvent::Dispatched).ok()?;
            message.attempts.push(Attempt::start("first", now()));
            let (from, rounds) = (delivery.status(), job.rounds.saturating_add(1));
            Some(AttemptBegun { message, from, lease: job.lease, rounds }.into())
        }
        Kind::Take => {
            let delivery = delivery.after_report(super::accepted()).ok()?;
            let mut job = job.clone();
            let outcome = Outcome::Unknown(failure());
            job.message.provider = Some("first".to_owned());
            job.message.attempts.push(Attempt::start("first", now()).end(now(), &outcome));
            // The step starts from the state of the job.
            Some(JobConcluded { due_in: Some(minutes(10)), ..job.conclude(delivery) }.into())
        }
        Kind::Defer => conclude(DeliveryEvent::Deferred { failure: failure() }, Some(minutes(1))),
        Kind::Doubt => conclude(DeliveryEvent::Doubted { failure: failure() }, Some(minutes(10))),
        Kind::Deliver => conclude(super::confirmed(), None),
        Kind::Fail => conclude(DeliveryEvent::Rejected { at: now(), failure: failure() }, None),
        Kind::Postpone => {
            let message = job.message.clone().valid_from(now() + minutes(5));
            let (lease, provider_queue) = (job.lease, ProviderQueue(3));
            let due_in = Some(minutes(5));
            Some(
                JobPostponed { message, lease, provider_queue, due_in, is_suspended: false }.into(),
            )
        }
    }
}

/// The same histories in each run.
fn histories(count: usize, length: usize) -> Vec<Vec<Act>> {
    let mut runner = TestRunner::deterministic();
    let history = prop::collection::vec(act(), length);
    (0..count).map(|_| history.new_tree(&mut runner).unwrap().current()).collect()
}

#[tokio::test]
async fn random_histories_end_alike_in_all_stores() {
    let mut seen = BTreeMap::<String, usize>::new();
    for (number, history) in
        histories(HISTORIES[usize::from(is_long())], LENGTH).into_iter().enumerate()
    {
        let mut runs = subjects(CREDIT).await.map(|subject| Run { subject, jobs: Vec::new() });
        let mut given = Given::default();
        for (place, act) in history.iter().enumerate() {
            given.prepare(act, &runs[0].subject);
            let mut answers = Vec::new();
            for run in &mut runs {
                answers.push(run.act(act, &given).await);
            }
            assert_eq!(answers[0], answers[1], "act {place} of history {number}: {act:?}");
            *seen.entry(answers.remove(0).chars().take(20).collect()).or_default() += 1;
        }
        let [postgres, memory] = &runs;
        let (expected, found) = (postgres.end(&given).await, memory.end(&given).await);
        assert_eq!(found, expected, "the end of history {number}");
    }
    for answer in ["Done", "Stale", "the wallet holds", "the idempotency key"] {
        let count: usize =
            seen.iter().filter(|(it, _)| it.starts_with(answer)).map(|(_, count)| count).sum();
        assert!(count >= 10, "{answer}: {count} times of {seen:?}");
    }
}

#[tokio::test]
async fn the_books_are_exact_in_memory_after_any_history() {
    for (number, history) in histories(HISTORIES_IN_MEMORY, LENGTH).into_iter().enumerate() {
        let subject = Subject::in_memory(Id::new(now()), CREDIT).await;
        let mut run = Run { subject, jobs: Vec::new() };
        let mut given = Given::default();
        for (place, act) in history.iter().enumerate() {
            given.prepare(act, &run.subject);
            run.act(act, &given).await;
            let balance = run.subject.balance().await;
            assert!(balance >= Money::ZERO, "act {place} of history {number}: {act:?}");
        }

        let End { messages, ledger, .. } = run.end(&given).await;
        let accepted: Vec<_> = messages.into_iter().flatten().collect();
        let failed = accepted.iter().filter(|message| message.is_refunded()).count();
        let paid = |kind: &str, count: usize, price: Money| {
            let times = u16::try_from(count).unwrap();
            let expected = (price * times, i64::from(times));
            assert_eq!(ledger.get(kind).copied().unwrap_or_default(), expected, "{number}: {kind}");
        };
        paid("MESSAGE_DEBIT", accepted.len(), -PRICE);
        paid("MESSAGE_REFUND", failed, PRICE);
    }
}
