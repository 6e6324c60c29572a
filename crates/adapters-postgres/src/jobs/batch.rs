//! One batch of steps in one transaction.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{id::Id, job::Step, message::Message, wallet::LedgerKind};
use ports::{messages::Recorded, store::StoreError};

use super::update;
use crate::{
    counters::CounterChanges,
    known,
    minutes::MinuteChanges,
    purse::{Movements, lock_wallets},
    session::PgStore,
};

/// Steps of different messages, about to be written.
pub(super) struct Batch<'b> {
    pub(super) now: DateTime<Utc>,
    pub(super) shard: i16,
    pub(super) steps: &'b [&'b Step],
}

impl Batch<'_> {
    pub(super) async fn write(&self, store: &PgStore) -> Result<Vec<Recorded>, StoreError> {
        let mut session = store.transaction().await?;
        let conn = session.conn();
        let held = update::held(conn, self.steps).await?;
        let is_held = |step: &&&Step| step.lease.is_none() || held.contains(&step.message.id);
        let valid: Vec<&Step> = self.steps.iter().filter(is_held).copied().collect();
        let taken = update::logs(conn, &valid).await?;

        let (done, late): (Vec<&Step>, Vec<&Step>) =
            self.steps.iter().partition(|step| taken.contains(&step.message.id));
        update::jobs(conn, &done).await?;
        update::late_attempts(conn, &late).await?;

        let mut counters = CounterChanges::default();
        let mut refunds = Movements::default();
        let mut minutes = MinuteChanges::default();
        for step in &done {
            minutes.add(step);
            let status = step.message.delivery.status();
            if status != step.from {
                counters.leave(&step.message, step.from);
                counters.enter(&step.message, status);
            }
            refunds.add(step.message.organization, step.refund());
        }
        counters.apply(conn, self.shard).await?;
        minutes.apply(conn, self.shard).await?;
        // Those who were late took their messages to providers all the same.
        known::references(conn, self.steps).await?;
        known::conversations(conn, self.steps).await?;
        if !refunds.organizations().is_empty() {
            lock_wallets(conn, refunds.organizations()).await?;
            refunds.apply(conn, LedgerKind::MessageRefund, self.now).await?;
        }
        session.commit().await?;
        Ok(self.recorded(&taken))
    }

    fn recorded(&self, taken: &HashSet<Id<Message>>) -> Vec<Recorded> {
        let recorded = |step: &&Step| {
            if taken.contains(&step.message.id) { Recorded::Done } else { Recorded::TooLate }
        };
        self.steps.iter().map(recorded).collect()
    }
}
