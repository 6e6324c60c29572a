//! The journal: the changes of each batch to the totals, written as one line. Lines are folded into
//! rollups, and rollups are posted to the counters and to the ledger, many at a time.

use chrono::{DateTime, Utc};
use diesel_async::SimpleAsyncConnection;
use domain::shared::id::{Id, Unowned};
use ports::shared::store::StoreError;
use uuid::Uuid;

mod entering;
mod fold;
pub(crate) mod poster;
mod rollups;

use crate::{
    messaging::counters::{CounterChanges, CounterColumns},
    money::wallet_deltas::WalletDeltaColumns,
    shared::{
        database::{connection::Connection, session::PgStore},
        error::store_error,
        query::sql::{Place, Sql, sql},
    },
};

/// Journal line about to be written.
pub(crate) struct JournalLine<'l> {
    pub(crate) counters: CounterChanges,
    /// Payments of wallets for messages.
    pub(crate) debits: &'l WalletDeltaColumns,
    pub(crate) now: DateTime<Utc>,
}

impl Unowned for JournalLine<'_> {}

/// [`JournalLine`], column by column.
pub(crate) struct LineColumns<'l> {
    pub(crate) id: Uuid,
    pub(crate) counters: CounterColumns,
    pub(crate) debits: &'l WalletDeltaColumns,
    pub(crate) now: DateTime<Utc>,
}

/// Creates a statement that writes a line, as `sql!` does: from its parts, the
/// [`LineColumns`], and further values.
macro_rules! write_line {
    ([$($part:expr),+ $(,)?], $line:expr $(, $name:ident = $value:expr)* $(,)?) => {
        sql!(
            [$($part),+],
            line = $line.id,
            now = $line.now,
            counted_organizations = $line.counters.organizations,
            slots = $line.counters.slots,
            counted_channels = $line.counters.channels,
            counted_statuses = $line.counters.statuses,
            counted_modes = $line.counters.are_sandbox,
            counted_messages = $line.counters.messages,
            counted_segments = $line.counters.segments,
            counted_costs = $line.counters.costs,
            dimensions = $line.counters.dimensions,
            payers = &$line.debits.organizations,
            debits = $line.debits.amounts.as_slice(),
            paid_messages = $line.debits.messages.as_slice(),
            $($name = $value),*
        )
    };
}

pub(crate) use write_line;

impl<'l> JournalLine<'l> {
    /// Writes the line together with the refunds to wallets.
    pub(crate) async fn write_with(
        mut self,
        conn: &Connection,
        refunds: &WalletDeltaColumns,
    ) -> Result<(), StoreError> {
        // Every refund comes with a change of state.
        if self.counters.is_empty() {
            return Ok(());
        }
        let campaigns = self.counters.take_campaigns();
        let line = self.columns();
        if campaigns.is_empty() {
            let write = write_line!(
                [WRITE_REFUNDS],
                line,
                payees = &refunds.organizations,
                refunds = refunds.amounts.as_slice(),
                refunded_messages = refunds.messages.as_slice(),
            );
            write.execute(conn).await?;
        } else {
            let campaigns = campaigns.columns();
            let write = write_line!(
                [WRITE_CAMPAIGN_REFUNDS],
                line,
                payees = &refunds.organizations,
                refunds = refunds.amounts.as_slice(),
                refunded_messages = refunds.messages.as_slice(),
                campaign_organizations = campaigns.organizations,
                campaigns = campaigns.campaigns,
                campaign_statuses = campaigns.statuses,
                campaign_messages = campaigns.messages,
                campaign_reasons = campaigns.reasons,
                campaign_costs = campaigns.costs,
            );
            write.execute(conn).await?;
        }
        Ok(())
    }

    /// Returns the line column by column.
    pub(crate) fn columns(self) -> LineColumns<'l> {
        LineColumns {
            id: Id::<JournalLine<'_>>::new(self.now).uuid(),
            counters: self.counters.columns(),
            debits: self.debits,
            now: self.now,
        }
    }
}

impl PgStore {
    /// Folds, posts and enters credits until only open hours, and refunds to locked wallets, wait,
    /// and returns the number of folded lines. For tests and tools: a service does it bit by bit.
    pub async fn post_journal(&self) -> Result<usize, StoreError> {
        let mut folded = 0;
        loop {
            let lines = self.fold_journal(None).await?;
            folded += lines;
            if lines < Self::FOLDED_AT_ONCE {
                break;
            }
        }
        while self.post_oldest_bucket(None).await? > 0 {}
        while self.enter_credits().await? > 0 {}
        Ok(folded)
    }

    /// Runs a statement that posts, and returns the number that it computes. The database lets no
    /// other statement delete or change rows that wait to be posted.
    async fn post<P: Place>(&self, statement: Sql<'_, P>) -> Result<usize, StoreError> {
        let opening = self.opening().await?;
        opening.conn().batch_execute(BEGIN_POSTING).await.map_err(store_error)?;
        let mut session = opening.opened();
        let number: i64 = statement.only(session.conn()).await?;
        session.commit().await?;
        Ok(usize::try_from(number).unwrap_or_default())
    }

    /// Frees the space of folded lines for new ones. Readers of the journal read it as a whole, so
    /// it must not grow until the server vacuums it by itself. It need not shrink either, for which
    /// writers would have to wait.
    pub async fn clean_journal(&self) -> Result<(), StoreError> {
        self.vacuum("VACUUM (TRUNCATE off) journal").await
    }

    /// Frees the space of posted rollups for new ones.
    pub async fn clean_rollups(&self) -> Result<(), StoreError> {
        self.vacuum("VACUUM (TRUNCATE off) journal_rollups").await
    }

    async fn vacuum(&self, statement: &str) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        session.conn().batch_execute(statement).await.map_err(store_error)
    }
}

/// A plan that was made for empty tables would read them from end to end each second.
const BEGIN_POSTING: &str =
    "BEGIN; SET LOCAL atumpan.posting = 'on'; SET LOCAL enable_seqscan = off";

/// Writes a line. See `write_line!`.
pub(crate) const WRITE: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, dimensions, payer_ids, debits_micros, paid_messages) \
    VALUES ({line}, {now}, {counted_organizations}, {slots}, {counted_channels}, \
        {counted_statuses}, {counted_modes}, {counted_messages}, {counted_segments}, \
        {counted_costs}, {dimensions}, {payers}, {debits}, {paid_messages})";

/// Writes a line with changes of campaigns. Most lines have none, and omit these columns.
pub(crate) const WRITE_WITH_CAMPAIGNS: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, dimensions, payer_ids, debits_micros, paid_messages, \
        campaign_organization_ids, campaign_ids, campaign_statuses, campaign_messages, \
        campaign_reasons, campaign_costs_micros) \
    VALUES ({line}, {now}, {counted_organizations}, {slots}, {counted_channels}, \
        {counted_statuses}, {counted_modes}, {counted_messages}, {counted_segments}, \
        {counted_costs}, {dimensions}, {payers}, {debits}, {paid_messages}, \
        {campaign_organizations}, {campaigns}, {campaign_statuses}, {campaign_messages}, \
        {campaign_reasons}, {campaign_costs})";

const WRITE_REFUNDS: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, dimensions, payer_ids, debits_micros, paid_messages, \
        payee_ids, refunds_micros, refunded_messages) \
    VALUES ({line}, {now}, {counted_organizations}, {slots}, {counted_channels}, \
        {counted_statuses}, {counted_modes}, {counted_messages}, {counted_segments}, \
        {counted_costs}, {dimensions}, {payers}, {debits}, {paid_messages}, \
        {payees}, {refunds}, {refunded_messages})";

const WRITE_CAMPAIGN_REFUNDS: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, dimensions, payer_ids, debits_micros, paid_messages, \
        payee_ids, refunds_micros, refunded_messages, \
        campaign_organization_ids, campaign_ids, campaign_statuses, campaign_messages, \
        campaign_reasons, campaign_costs_micros) \
    VALUES ({line}, {now}, {counted_organizations}, {slots}, {counted_channels}, \
        {counted_statuses}, {counted_modes}, {counted_messages}, {counted_segments}, \
        {counted_costs}, {dimensions}, {payers}, {debits}, {paid_messages}, \
        {payees}, {refunds}, {refunded_messages}, \
        {campaign_organizations}, {campaigns}, {campaign_statuses}, {campaign_messages}, \
        {campaign_reasons}, {campaign_costs})";
