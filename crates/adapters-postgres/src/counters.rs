//! The counters that are kept with the delivery log.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use diesel::sql_types::{Array, BigInt, Bool, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{delivery::Status, message::Message};
use ports::store::StoreError;
use uuid::Uuid;

use crate::{error::store_error, statement::Statement};

/// Changes to the counters. They are applied in the order of the keys, so that two writers never
/// wait for each other in a circle.
#[derive(Default)]
pub(crate) struct CounterChanges(BTreeMap<Key, Change>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    organization: Uuid,
    span: &'static str,
    starts_at: DateTime<Utc>,
    channel: &'static str,
    status: &'static str,
    is_sandbox: bool,
}

#[derive(Default)]
struct Change {
    messages: i64,
    segments: i64,
    cost: i64,
}

impl CounterChanges {
    /// Counts a message that came into a state.
    pub(crate) fn enter(&mut self, message: &Message, status: Status) {
        self.add(message, status, 1);
    }

    /// Counts a message that left a state.
    pub(crate) fn leave(&mut self, message: &Message, status: Status) {
        self.add(message, status, -1);
    }

    fn add(&mut self, message: &Message, status: Status, sign: i64) {
        for (span, length) in [("HOUR", TimeDelta::hours(1)), ("DAY", TimeDelta::days(1))] {
            let created_at = message.created_at;
            let key = Key {
                organization: message.organization.uuid(),
                span,
                starts_at: created_at.duration_trunc(length).unwrap_or(created_at),
                channel: message.draft.channel.as_str(),
                status: status.as_str(),
                is_sandbox: message.is_sandbox,
            };
            let change = self.0.entry(key).or_default();
            change.messages += sign;
            change.segments += sign * i64::from(message.draft.segments);
            change.cost += sign * message.cost.micros();
        }
    }

    /// Writes the changes to a shard.
    pub(crate) async fn apply(
        self,
        mut conn: &AsyncPgConnection,
        shard: i16,
    ) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let statement = Statement::<ApplyCounters>::new(&[APPLY]);
        self.bind(statement, shard).execute(&mut conn).await.map_err(store_error)?;
        Ok(())
    }

    /// Binds the values of [`APPLY`].
    pub(crate) fn bind<N, ST>(
        self,
        statement: Statement<'_, N, ST>,
        shard: i16,
    ) -> Statement<'_, N, ST> {
        let (keys, changes): (Vec<_>, Vec<_>) = self.0.into_iter().unzip();
        let column = |of: fn(&Change) -> i64| changes.iter().map(of).collect::<Vec<_>>();
        statement
            .bind::<SmallInt, _>(shard)
            .bind::<Array<SqlUuid>, _>(keys.iter().map(|key| key.organization).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys.iter().map(|key| key.span).collect::<Vec<_>>())
            .bind::<Array<Timestamptz>, _>(keys.iter().map(|key| key.starts_at).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys.iter().map(|key| key.channel).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(keys.iter().map(|key| key.status).collect::<Vec<_>>())
            .bind::<Array<Bool>, _>(keys.iter().map(|key| key.is_sandbox).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(column(|change| change.messages))
            .bind::<Array<BigInt>, _>(column(|change| change.segments))
            .bind::<Array<BigInt>, _>(column(|change| change.cost))
    }
}

struct ApplyCounters;
/// Applies changes to the counters.
pub(crate) const APPLY: &str = "\
    INSERT INTO delivery_log_counters AS counter (shard, organization_id, span, starts_at, channel, \
        status, is_sandbox, messages, segments, cost_micros) \
    SELECT ?, * FROM UNNEST(?, ?, ?, ?, ?, ?, ?, ?, ?) \
    ON CONFLICT (organization_id, span, starts_at, channel, status, is_sandbox, shard) DO UPDATE \
    SET messages = counter.messages + EXCLUDED.messages, \
        segments = counter.segments + EXCLUDED.segments, \
        cost_micros = counter.cost_micros + EXCLUDED.cost_micros";
