//! One batch of steps in one transaction.

use chrono::{DateTime, Utc};
use domain::messaging::job::Step;
use futures_util::future::{try_join, try_join3, try_join5};
use ports::{
    messaging::messages::Recorded, shared::store::StoreError,
    webhooks::webhook_queue::FreshDeliveries,
};

use super::{kept::KeptLeases, update};
use crate::{
    messaging::{
        counters::CounterChanges, journal::JournalLine, message_counters::MessageCounters,
        triggers, vendor_references,
    },
    money::wallet_deltas::{WalletDeltaColumns, WalletDeltas},
    providers::report_stats::MinuteChanges,
    shared::database::session::PgStore,
    webhooks::{outbound_events, sandbox_events},
};

/// Steps of different messages, about to be written.
pub(super) struct Batch<'b> {
    pub(super) now: DateTime<Utc>,
    pub(super) shard: i16,
    pub(super) message_counters: &'b MessageCounters,
    pub(super) kept: &'b KeptLeases,
    pub(super) steps: &'b [&'b Step],
    pub(super) fresh: Option<&'b dyn FreshDeliveries>,
}

impl Batch<'_> {
    pub(super) async fn write(&self, store: &PgStore) -> Result<Vec<Recorded>, StoreError> {
        let opening = store.opening().await?;
        let moved = opening.begin_with(update::logs(opening.conn(), self.steps)).await?;
        let session = opening.opened();
        let (done, stale): (Vec<&Step>, Vec<&Step>) =
            self.steps.iter().partition(|step| moved.contains(&step.message().id));

        let mut counters = CounterChanges::default();
        let mut refunds = WalletDeltas::default();
        let mut minutes = MinuteChanges::default();
        for step in &done {
            minutes.add(step);
            let (message, from) = (step.message(), step.previous_status());
            let status = message.delivery.status();
            if status != from {
                counters.leave(message, from);
                counters.enter(message, status);
            }
            refunds.add(message.organization, step.refund());
        }
        let division = self.kept.divide(&done, self.now);
        let conn = session.pipeline();
        let jobs = try_join5(
            update::jobs(conn, &division.written),
            update::stale_attempts(conn, &stale),
            triggers::note(conn, &done),
            outbound_events::write(conn, &done),
            sandbox_events::note(conn, &done),
        );
        let no_debits = WalletDeltaColumns::default();
        let line = JournalLine { counters, debits: &no_debits, now: self.now };
        let refunds = refunds.columns();
        let counts = try_join(line.write_with(conn, &refunds), minutes.apply(conn, self.shard));
        // The worker of a stale step handed the message to a provider all the same.
        let known = try_join(
            vendor_references::references(conn, self.steps),
            vendor_references::conversations(conn, self.steps),
        );
        let ((.., written, ()), _, _) = try_join3(jobs, counts, known).await?;
        session.commit().await?;
        self.kept.note(&division);
        if let Some(fresh) = self.fresh
            && !written.is_empty()
        {
            fresh.hand_over(written);
        }
        for step in done {
            self.message_counters.count_step(step);
        }
        let mut recorded = Vec::with_capacity(self.steps.len());
        for step in self.steps {
            let is_done = moved.contains(&step.message().id);
            recorded.push(if is_done { Recorded::Done } else { Recorded::Stale });
        }
        Ok(recorded)
    }
}
