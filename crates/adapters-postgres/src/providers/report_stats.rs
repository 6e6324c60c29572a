//! Numbers of messages that each provider took in each minute, and that it has reported on.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::messaging::{delivery::Status, job::Step};
use ports::shared::store::StoreError;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Changes to the counts, in the order in which they are written.
#[derive(Default)]
pub(crate) struct MinuteChanges(BTreeMap<(String, DateTime<Utc>), (i64, i64)>);

impl MinuteChanges {
    /// Counts the facts of a step about its provider. A message counts as taken when a report on it
    /// is still to come, and as reported, in the minute in which it was taken, when one came. A
    /// provider's answer to a query is not a report: a provider that is always silent until then
    /// would be judged by a time before the query.
    pub(crate) fn add(&mut self, step: &Step) {
        let message = step.message();
        let (Some(provider), Some(sent_at)) = (&message.provider, message.delivery.sent_at())
        else {
            return;
        };
        let status = message.delivery.status();
        let change = match (step, step.previous_status(), status) {
            (_, Status::Queued | Status::Pending, Status::Sent) if step.due_in().is_some() => {
                (1, 0)
            }
            (Step::ReportApplied(_), Status::Sent, Status::Delivered | Status::Failed) => (0, 1),
            _ => return,
        };
        let minute = sent_at.duration_trunc(TimeDelta::minutes(1)).unwrap_or(sent_at);
        let count = self.0.entry((provider.clone(), minute)).or_default();
        count.0 += change.0;
        count.1 += change.1;
    }

    /// Writes the changes to a shard.
    pub(crate) async fn apply(self, conn: &Connection, shard: i16) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let (keys, counts): (Vec<_>, Vec<_>) = self.0.into_iter().unzip();
        let (providers, minutes): (Vec<_>, Vec<_>) = keys.into_iter().unzip();
        let (taken, reported): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
        let count = sql!(
            "INSERT INTO provider_minutes AS counted (shard, provider, minute, taken, reported) \
             SELECT {shard}::smallint, * FROM UNNEST({providers}::text[], \
                {minutes}::timestamptz[], {taken}::bigint[], {reported}::bigint[]) \
             ON CONFLICT (provider, minute, shard) DO UPDATE \
             SET taken = counted.taken + EXCLUDED.taken, \
                reported = counted.reported + EXCLUDED.reported",
            shard,
            providers,
            minutes,
            taken,
            reported,
        );
        count.execute(conn).await?;
        Ok(())
    }
}
