//! One batch of submissions in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    delivery::Status,
    id::Id,
    job::{Job, Lease},
    lane::Lane,
    message::Message,
    wallet::LedgerKind,
};
use ports::{
    messages::{FirstWorker, IntakeError, Receipt, Submission},
    store::StoreError,
};

use super::{
    IntakeParts, Reply,
    decision::{Decision, Known, decide},
    insert, lookup,
};
use crate::{
    counters::CounterChanges,
    purse::{Movements, lock_wallets},
    session::PgSession,
};

/// A batch about to be written.
pub(super) struct Batch<'b> {
    parts: &'b IntakeParts,
    lease: Lease,
    submissions: &'b [&'b Submission],
    room: BTreeMap<Lane, usize>,
}

impl<'b> Batch<'b> {
    pub(super) fn new(
        parts: &'b IntakeParts,
        lease: Lease,
        submissions: &'b [&'b Submission],
    ) -> Self {
        Self { parts, lease, submissions, room: BTreeMap::new() }
    }

    /// Writes the batch, and answers each submission once that is durable.
    pub(super) async fn write(mut self) -> Result<Vec<Reply>, StoreError> {
        let mut session = self.parts.store.transaction().await?;
        let known = self.read(&mut session).await?;
        let decisions = decide(self.submissions, known);
        let jobs = self.lease(decisions);
        self.insert(&mut session, &jobs).await?;
        session.commit().await?;
        self.receipts(jobs).await
    }

    /// Locks the wallets, and reads what decides. Holding a wallet's lock keeps all other
    /// submissions of that organization out, and with them its idempotency keys as they are.
    async fn read(&self, session: &mut PgSession) -> Result<Known, StoreError> {
        let organizations: BTreeSet<_> =
            self.submissions.iter().map(|it| it.organization).collect();
        let balances = lock_wallets(session.conn(), organizations.into_iter().collect()).await?;
        let keys = lookup::keys(session.conn(), self.submissions).await?;
        let suppressed = lookup::suppressed(session.conn(), self.submissions).await?;
        Ok(Known { balances, keys, suppressed })
    }

    /// Leases the accepted messages to their first workers. Those for which there is no room stay
    /// free, for whoever claims them.
    fn lease(&mut self, decisions: Vec<Decision>) -> Vec<Leased> {
        let submissions = self.submissions;
        let leased =
            submissions.iter().zip(decisions).map(|(submission, decision)| match decision {
                Decision::Accept(messages) => Leased::Accepted(
                    messages.into_iter().map(|message| self.job(message, submission)).collect(),
                ),
                Decision::Replay(ids) => Leased::Replayed(ids),
                Decision::Refuse(error) => Leased::Refused(error),
            });
        leased.collect()
    }

    fn job(&mut self, message: Message, submission: &Submission) -> Job {
        let is_ours = match submission.first_worker {
            FirstWorker::Submitter => true,
            FirstWorker::Workers => {
                let handover = &self.parts.handover;
                let room =
                    self.room.entry(message.lane).or_insert_with(|| handover.room(message.lane));
                let is_room = *room > 0;
                *room = room.saturating_sub(1);
                is_room
            }
        };
        if is_ours {
            return Job { message, lease: self.lease, rounds: 0, is_fresh: true };
        }
        // Nobody knows yet when it will be handed over, nor to whom.
        let message = Message { attempts: Vec::new(), ..message };
        Job { message, lease: Lease::NONE, rounds: 0, is_fresh: false }
    }

    async fn insert(&self, session: &mut PgSession, leased: &[Leased]) -> Result<(), StoreError> {
        let jobs: Vec<&Job> = leased.iter().flat_map(Leased::jobs).collect();
        if jobs.is_empty() {
            return Ok(());
        }
        let mut counters = CounterChanges::default();
        let mut debits = Movements::default();
        for job in &jobs {
            counters.enter(&job.message, Status::Queued);
            debits.add(job.message.organization, -job.message.cost);
        }
        let now = self.parts.clock.now();
        let conn = session.conn();
        insert::logs(conn, &jobs).await?;
        insert::jobs(conn, &jobs).await?;
        insert::keys(conn, self.submissions, leased, now).await?;
        counters.apply(conn, self.parts.shard).await?;
        debits.apply(conn, LedgerKind::MessageDebit, now).await
    }

    async fn receipts(&self, leased: Vec<Leased>) -> Result<Vec<Reply>, StoreError> {
        let replayed: Vec<_> = leased.iter().flat_map(Leased::replayed).copied().collect();
        let found = lookup::messages(&self.parts.store, &replayed).await;
        let replies = leased.into_iter().map(|leased| match leased {
            Leased::Accepted(jobs) => Ok(Receipt::Accepted(jobs)),
            Leased::Refused(error) => Err(error),
            // The batch is durable by now: a failure to read concerns the replays alone.
            Leased::Replayed(ids) => match &found {
                Ok(found) => {
                    let message = |id| found.get(&id).cloned();
                    Ok(Receipt::Replayed(ids.into_iter().filter_map(message).collect()))
                }
                Err(error) => Err(StoreError::Unavailable(error.to_string().into()).into()),
            },
        });
        Ok(replies.collect())
    }
}

/// What becomes of a submission, with leases.
pub(super) enum Leased {
    Accepted(Vec<Job>),
    Replayed(Vec<Id<Message>>),
    Refused(IntakeError),
}

impl Leased {
    pub(super) fn jobs(&self) -> &[Job] {
        if let Self::Accepted(jobs) = self { jobs } else { &[] }
    }

    fn replayed(&self) -> &[Id<Message>] {
        if let Self::Replayed(ids) = self { ids } else { &[] }
    }
}
