//! The journal: what each batch changes in the totals, written as one line and posted to the counters
//! and to the ledger later, many lines at a time.

use chrono::{DateTime, Utc};
use diesel::sql_types::{Array, BigInt, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use domain::{
    id::{Id, Unowned},
    wallet::LedgerKind,
};
use ports::store::StoreError;

use crate::{
    connection::Connection, counters::CounterChanges, error::store_error, session::PgStore,
    statement::Statement, wallet_deltas::WalletDeltaColumns,
};

/// A line about to be written.
pub(crate) struct Line<'l> {
    pub(crate) counters: CounterChanges,
    /// What wallets paid for messages.
    pub(crate) debits: &'l WalletDeltaColumns,
    pub(crate) now: DateTime<Utc>,
}

impl Unowned for Line<'_> {}

impl<'l> Line<'l> {
    /// Writes it together with what goes back to wallets.
    pub(crate) async fn write_with(
        self,
        mut conn: &Connection,
        refunds: &'l WalletDeltaColumns,
    ) -> Result<(), StoreError> {
        // A refund comes with a change of state.
        if !self.counters.is_empty() {
            self.bind(Statement::<WriteRefunds>::new(&[WRITE_REFUNDS]))
                .bind::<Array<SqlUuid>, _>(&refunds.organizations)
                .bind::<Array<BigInt>, _>(&refunds.amounts)
                .bind::<Array<Integer>, _>(&refunds.messages)
                .execute(&mut conn)
                .await
                .map_err(store_error)?;
        }
        Ok(())
    }

    /// Binds the values of [`WRITE`].
    pub(crate) fn bind<N, ST>(self, statement: Statement<'l, N, ST>) -> Statement<'l, N, ST> {
        let statement = statement
            .bind::<SqlUuid, _>(Id::<Line<'_>>::new(self.now).uuid())
            .bind::<Timestamptz, _>(self.now);
        let statement = self.counters.bind(statement);
        statement
            .bind::<Array<SqlUuid>, _>(&self.debits.organizations)
            .bind::<Array<BigInt>, _>(&self.debits.amounts)
            .bind::<Array<Integer>, _>(&self.debits.messages)
    }
}

impl PgStore {
    /// How many lines of the journal are posted at a time at the most.
    pub const POSTED_AT_ONCE: usize = 1_000;

    /// Posts lines of the journal, and returns how many. One instance does so at a time; others
    /// leave it to that one.
    pub async fn post_journal(&self) -> Result<usize, StoreError> {
        let mut session = self.session().await?;
        let statement = Statement::<Post, BigInt>::new(&[POST])
            .bind::<BigInt, _>(i64::try_from(Self::POSTED_AT_ONCE).unwrap_or(i64::MAX))
            .bind::<Text, _>(LedgerKind::MessageDebit.as_str())
            .bind::<Text, _>(LedgerKind::MessageRefund.as_str());
        let posted: i64 = statement.get_result(session.conn()).await.map_err(store_error)?;
        Ok(usize::try_from(posted).unwrap_or_default())
    }

    /// Gives the room of posted lines back for new ones. What reads the journal reads it as a whole,
    /// so it must not grow until the server cleans it up by itself. It need not shrink either, for
    /// which writers would have to wait.
    pub async fn clean_journal(&self) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        session.conn().batch_execute("VACUUM (TRUNCATE off) journal").await.map_err(store_error)
    }
}

/// Writes a line.
pub(crate) const WRITE: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, payer_ids, debits_micros, paid_messages) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

struct WriteRefunds;
const WRITE_REFUNDS: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, payer_ids, debits_micros, paid_messages, \
        payee_ids, refunds_micros, refunded_messages) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// A message that moves on leaves one state and enters another, so over all states only those count
/// that were accepted. The lock is asked for once. A line that another instance posted meanwhile is
/// not there any more, so nothing is posted twice. Wallets that somebody else has locked are not
/// waited for: what goes back to them is a line of the journal again, which has a name of its own, for
/// a line that was posted in part would make two entries of one name.
struct Post;
const POST: &str = "\
    WITH taken AS ( \
        DELETE FROM journal WHERE id IN (SELECT id FROM journal \
            WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan journal'))) \
            ORDER BY id LIMIT ?) RETURNING * \
    ), line AS ( \
        SELECT line.* FROM taken CROSS JOIN UNNEST(organization_ids, slots, channels, statuses, \
            are_sandbox, messages, segments, costs_micros) AS line (organization_id, slot, channel, \
            status, is_sandbox, messages, segments, cost_micros) \
    ), slotted AS ( \
        INSERT INTO delivery_log_slots AS counter (organization_id, starts_at, channel, messages) \
        SELECT organization_id, slot, channel, sum(messages) FROM line \
        GROUP BY 1, 2, 3 HAVING sum(messages) <> 0 \
        ON CONFLICT (organization_id, starts_at, channel) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages \
    ), counted AS ( \
        INSERT INTO delivery_log_counters AS counter (organization_id, span, starts_at, channel, \
            status, is_sandbox, messages, segments, cost_micros) \
        SELECT organization_id, span, date_trunc(span, slot, 'UTC'), channel, status, is_sandbox, \
            sum(messages), sum(segments), sum(cost_micros) \
        FROM line CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span) \
        GROUP BY 1, 2, 3, 4, 5, 6 \
        ON CONFLICT (organization_id, span, starts_at, channel, status, is_sandbox) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages, \
            segments = counter.segments + EXCLUDED.segments, \
            cost_micros = counter.cost_micros + EXCLUDED.cost_micros \
    ), entered AS ( \
        INSERT INTO ledger_entries \
            (id, organization_id, kind, amount_micros, messages, created_at) \
        SELECT (array_agg(taken.id ORDER BY taken.id))[1], paid.organization_id, ?, \
            sum(paid.amount_micros), sum(paid.messages), max(taken.written_at) \
        FROM taken CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages) \
            AS paid (organization_id, amount_micros, messages) \
        GROUP BY paid.organization_id \
    ), refund AS ( \
        SELECT refund.organization_id, sum(refund.amount_micros)::bigint AS amount_micros, \
            sum(refund.messages)::integer AS messages, \
            (array_agg(taken.id ORDER BY taken.id))[1] AS id, max(taken.written_at) AS written_at \
        FROM taken CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages) \
            AS refund (organization_id, amount_micros, messages) \
        GROUP BY refund.organization_id \
    ), free AS ( \
        SELECT organization_id FROM wallets \
        WHERE organization_id = ANY(ARRAY(SELECT organization_id FROM refund)) \
        ORDER BY organization_id FOR NO KEY UPDATE SKIP LOCKED \
    ), moved AS ( \
        UPDATE wallets SET balance_micros = wallets.balance_micros + refund.amount_micros, \
            updated_at = greatest(wallets.updated_at, refund.written_at) \
        FROM refund JOIN free ON free.organization_id = refund.organization_id \
        WHERE wallets.organization_id = ANY(ARRAY[refund.organization_id]) \
        RETURNING wallets.organization_id \
    ), refunded AS ( \
        INSERT INTO ledger_entries \
            (id, organization_id, kind, amount_micros, messages, created_at) \
        SELECT refund.id, refund.organization_id, ?, refund.amount_micros, refund.messages, \
            refund.written_at \
        FROM refund JOIN moved ON moved.organization_id = refund.organization_id \
    ), kept AS ( \
        INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, \
            are_sandbox, messages, segments, costs_micros, payer_ids, debits_micros, paid_messages, \
            payee_ids, refunds_micros, refunded_messages) \
        SELECT (left(uuid_floor(clock_timestamp())::text, 14) || '7' \
                || substr(gen_random_uuid()::text, 16))::uuid, \
            max(written_at), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', \
            array_agg(organization_id), array_agg(amount_micros), array_agg(messages) \
        FROM refund WHERE organization_id NOT IN (SELECT organization_id FROM moved) \
        HAVING count(*) > 0 \
    ) SELECT count(*) FROM taken";
