//! One batch of submissions in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        attempts,
        job::{Job, Lease},
        message::Message,
        priority::{Priority, ProviderQueue},
    },
    money::funds::Funds,
    outreach::trigger::Trigger,
    shared::id::Id,
};
use futures_util::future::{try_join3, try_join4};
use ports::{
    messaging::messages::{Advance, FirstWorker, IntakeError, Receipt, Submission},
    shared::store::StoreError,
};

use super::{
    IntakeDeps, Memory, Reply,
    advances::{self, CampaignAdvances},
    basis::Basis,
    decision::{Decision, StoredFacts, decide},
    insert::{self, Rows},
    lookup,
    rows::KeyRow,
};
use crate::{
    messaging::{
        counters::CounterChanges,
        delivery_logs,
        resends::{self, OwnedResend, ResendsWritten},
        triggers::{self, TriggerWritten, TriggersWritten},
    },
    money::wallet_deltas::{WalletDeltas, lock_wallets, read_wallets},
    shared::{database::connection::Connection, error::is_unanswered},
};

/// Batch about to be written.
pub(super) struct Batch<'b> {
    deps: &'b IntakeDeps,
    memory: &'b Memory,
    lease: Lease,
    submissions: &'b [&'b Submission],
    /// Time for which the first attempts are planned: one for all of them, so that they are written
    /// once for most messages.
    planned_at: DateTime<Utc>,
    room: BTreeMap<(Priority, ProviderQueue), usize>,
}

impl<'b> Batch<'b> {
    pub(super) fn new(
        deps: &'b IntakeDeps,
        memory: &'b Memory,
        submissions: &'b [&'b Submission],
    ) -> Self {
        let (lease, planned_at) = (deps.instance.lease(), deps.clock.now());
        Self { deps, memory, lease, submissions, planned_at, room: BTreeMap::new() }
    }

    /// Writes the batch, and returns an answer to each submission once it is durable.
    pub(super) async fn write(mut self, basis: Basis) -> Result<Vec<Reply>, StoreError> {
        let decided = match basis {
            Basis::Optimistic => self.write_optimistic().await,
            Basis::Read => self.write_read().await,
            Basis::Locked => self.write_locked().await,
        };
        if decided.as_ref().is_err_and(is_unanswered) {
            // It may have been written all the same, and nobody works on its jobs.
            self.deps.jobs.lose_acceptance(self.lease);
        }
        self.receipts(decided?).await
    }

    /// Decides without reading: if there is anything to refuse, the batch fails as a whole. Its one
    /// statement is a transaction.
    async fn write_optimistic(&mut self) -> Result<Vec<Leased>, StoreError> {
        let session = self.deps.store.session().await?;
        let funds = self.organizations().into_iter().map(|it| (it, Funds::PLENTY)).collect();
        let leased = self.decide(StoredFacts { funds, ..StoredFacts::default() });
        self.insert(session.pipeline(), &leased, Basis::Optimistic).await?;
        Ok(leased)
    }

    /// Decides by facts that may be outdated when the batch is written: then it fails as a whole.
    async fn write_read(&mut self) -> Result<Vec<Leased>, StoreError> {
        let session = self.deps.store.session().await?;
        let conn = session.pipeline();
        let now = self.deps.clock.now();
        let (funds, suppressed, keys, positions) = try_join4(
            read_wallets(conn, self.organizations(), now),
            lookup::suppressed(conn, self.submissions),
            lookup::keys(conn, self.submissions),
            try_join3(
                advances::positions(conn, self.submissions),
                triggers::positions(conn, self.moved_triggers(), false),
                resends::replacements(conn, self.wanted_resends()),
            ),
        )
        .await?;
        let (positions, triggers, resends) = positions;
        let leased = self.decide(StoredFacts {
            funds,
            keys,
            suppressed,
            positions: Some(positions),
            triggers: Some(triggers),
            resends: Some(resends),
        });
        self.insert(conn, &leased, Basis::Read).await?;
        Ok(leased)
    }

    /// Locks the wallets before it decides. The lock of a wallet keeps all other submissions of
    /// that organization out, and so keeps its idempotency keys unchanged.
    async fn write_locked(&mut self) -> Result<Vec<Leased>, StoreError> {
        let session = self.deps.store.transaction().await?;
        let conn = session.pipeline();
        let now = self.deps.clock.now();
        let funds = lock_wallets(conn, self.organizations(), now).await?;
        let suppressed = lookup::suppressed(conn, self.submissions).await?;
        let keys = lookup::keys(conn, self.submissions).await?;
        let positions = Some(advances::positions(conn, self.submissions).await?);
        let triggers = Some(triggers::positions(conn, self.moved_triggers(), true).await?);
        let resends = Some(resends::replacements(conn, self.wanted_resends()).await?);
        let known = StoredFacts { funds, keys, suppressed, positions, triggers, resends };
        let leased = self.decide(known);
        self.insert(conn, &leased, Basis::Locked).await?;
        session.commit().await?;
        Ok(leased)
    }

    fn decide(&mut self, known: StoredFacts) -> Vec<Leased> {
        let decisions = decide(self.submissions, known);
        let organizations = self.submissions.iter().map(|it| it.organization);
        self.memory.refusals.learn(organizations.zip(&decisions), self.deps.clock.now());
        self.lease(decisions)
    }

    fn organizations(&self) -> Vec<Id<Organization>> {
        let organizations: BTreeSet<_> =
            self.submissions.iter().map(|it| it.organization).collect();
        organizations.into_iter().collect()
    }

    /// Leases the accepted messages to their first workers. Those without room stay free for any
    /// claim.
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

    fn job(&mut self, mut message: Message, submission: &Submission) -> Job {
        let handover = &self.deps.handover;
        let provider_queue = handover.provider_queue(&message);
        if message.is_scheduled() {
            // Nobody works on it before its time.
            let lease = Lease::NONE;
            return Job { message, lease, rounds: 0, provider_queue, is_scored: false };
        }
        let is_ours = match submission.first_worker {
            FirstWorker::Submitter => true,
            FirstWorker::Workers => {
                let room = self.room.entry((message.priority, provider_queue));
                let room = room.or_insert_with(|| handover.room(message.priority, provider_queue));
                let is_room = *room > 0;
                *room = room.saturating_sub(1);
                is_room
            }
        };
        if is_ours {
            attempts::plan_at(&mut message.attempts, self.planned_at);
            return Job { message, lease: self.lease, rounds: 0, provider_queue, is_scored: false };
        }
        // The time and the provider of its handover are not known yet.
        let message = Message { attempts: Vec::new(), ..message };
        Job { message, lease: Lease::NONE, rounds: 0, provider_queue, is_scored: false }
    }

    async fn insert(
        &self,
        conn: &Connection,
        leased: &[Leased],
        basis: Basis,
    ) -> Result<(), StoreError> {
        let jobs: Vec<&Job> = leased.iter().flat_map(Leased::jobs).collect();
        let campaigns = self.campaigns(leased);
        if jobs.is_empty() && campaigns.is_empty() {
            return Ok(());
        }
        let mut counters = CounterChanges::default();
        let mut debits = WalletDeltas::default();
        for job in &jobs {
            counters.enter(&job.message, job.message.delivery.status());
            debits.add(job.message.organization, -job.message.cost);
        }
        let now = self.deps.clock.now();
        let keys = self.submissions.iter().zip(leased).filter_map(|(submission, leased)| {
            let Leased::Accepted(jobs) = leased else { return None };
            Some(KeyRow {
                organization: submission.organization.uuid(),
                idempotency: submission.idempotency.as_ref()?,
                jobs,
            })
        });
        let mut keys: Vec<KeyRow<'_>> = keys.collect();
        // Batches with the same keys would deadlock otherwise.
        keys.sort_by_key(|row| {
            (row.organization, row.idempotency.is_sandbox, &row.idempotency.key)
        });
        let triggers = TriggersWritten::of(self.triggers(leased));
        let resends = ResendsWritten::of(self.resends(leased));
        let rows = Rows { basis, now, jobs, keys, counters, debits, campaigns, triggers, resends };
        insert::write(conn, &self.memory.wallets, rows).await
    }

    /// Returns the advances of the campaigns whose messages are accepted.
    fn campaigns(&self, leased: &[Leased]) -> CampaignAdvances {
        let mut advances = CampaignAdvances::default();
        for (submission, leased) in self.submissions.iter().zip(leased) {
            if let (Some(Advance::Campaign(advance)), Leased::Accepted(_)) =
                (&submission.advance, leased)
            {
                advances.add(submission.organization, advance);
            }
        }
        advances
    }

    /// Returns the triggers whose messages are accepted, in their new state.
    fn triggers<'l>(
        &self,
        leased: &'l [Leased],
    ) -> impl Iterator<Item = TriggerWritten<'b>> + use<'b, 'l> {
        let submissions = self.submissions.iter().zip(leased);
        submissions.filter_map(|(submission, leased)| match (&submission.advance, leased) {
            (Some(Advance::Trigger(trigger)), Leased::Accepted(jobs)) => {
                let message = jobs.first().map(|job| &job.message);
                let starts_at = message.filter(|message| message.is_scheduled());
                let starts_at = starts_at.and_then(|message| message.scheduled_at);
                Some(TriggerWritten { trigger, starts_at })
            }
            _ => None,
        })
    }

    /// Returns the triggers that have begun already.
    fn moved_triggers(&self) -> impl Iterator<Item = &'b Trigger> + use<'b> {
        let advances = self.submissions.iter().filter_map(|it| it.advance.as_ref());
        advances.filter_map(|advance| match advance {
            Advance::Trigger(trigger) if trigger.tried() > 1 => Some(trigger),
            Advance::Trigger(_) | Advance::Campaign(_) | Advance::Resend(_) => None,
        })
    }

    /// Returns the repetitions whose messages are accepted.
    fn resends<'l>(
        &self,
        leased: &'l [Leased],
    ) -> impl Iterator<Item = OwnedResend<'b>> + use<'b, 'l> {
        let submissions = self.submissions.iter().zip(leased);
        submissions.filter_map(|(submission, leased)| match leased {
            Leased::Accepted(_) => resend_of(submission),
            Leased::Replayed(_) | Leased::Refused(_) => None,
        })
    }

    /// Returns the repetitions of all submissions.
    fn wanted_resends(&self) -> impl Iterator<Item = OwnedResend<'b>> + use<'b> {
        self.submissions.iter().filter_map(|submission| resend_of(submission))
    }

    async fn receipts(&self, leased: Vec<Leased>) -> Result<Vec<Reply>, StoreError> {
        let replayed: Vec<_> = leased.iter().flat_map(Leased::replayed).copied().collect();
        let found = delivery_logs::find_all(&self.deps.store, &replayed).await;
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

fn resend_of(submission: &Submission) -> Option<OwnedResend<'_>> {
    match &submission.advance {
        Some(Advance::Resend(resend)) => {
            Some(OwnedResend { organization: submission.organization, resend })
        }
        _ => None,
    }
}

/// Decision about a submission, with leases.
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
