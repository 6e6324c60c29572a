//! The books, read in one snapshot.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel_async::SimpleAsyncConnection;
use domain::{
    identity::organization::Organization,
    money::ledger::{Account, Entry, Link},
    shared::{id::Id, money::Money},
};
use ports::{
    money::ledger::{Books, OpenBooks},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::store_error,
    query::{row::row, sql::sql},
};

/// Number of entries read at a time.
const PORTION: i64 = 5_000;

#[async_trait]
impl Books for PgStore {
    async fn open(&self) -> Result<Box<dyn OpenBooks>, StoreError> {
        let mut session = self.transaction().await?;
        session.conn().batch_execute(ONE_MOMENT).await.map_err(store_error)?;
        Ok(Box::new(session))
    }
}

/// Entries are read in the order of an index, whatever the statistics of the table: sorting all of
/// them for each portion would take for ever.
const ONE_MOMENT: &str = "\
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; \
    SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";

#[async_trait]
impl OpenBooks for PgSession {
    async fn accounts(&mut self) -> Result<Vec<Account>, StoreError> {
        let accounts = sql!(
            "SELECT organization_id, wallet.balance_micros, \
                coalesce(unentered.amount_micros, 0)::bigint AS unentered_micros, \
                head.sequence, head.hash \
             FROM wallet_balances AS wallet \
             FULL JOIN ledger_heads AS head USING (organization_id) \
             FULL JOIN (SELECT organization_id, sum(amount_micros) AS amount_micros \
                FROM unentered_movements GROUP BY organization_id) AS unentered \
                USING (organization_id) \
             ORDER BY organization_id"
        );
        let rows: Vec<AccountRow> = accounts.rows(self.conn()).await?;
        Ok(rows.into_iter().map(Account::from).collect())
    }

    async fn entries_after(
        &mut self,
        last: Option<(Id<Organization>, i64)>,
    ) -> Result<Vec<Entry>, StoreError> {
        let (organization, sequence) = last
            .map_or((Uuid::nil(), i64::MIN), |(organization, sequence)| {
                (organization.uuid(), sequence)
            });
        let entries = sql!(
            "SELECT organization_id, id, kind, contra_account, amount_micros, messages, reference, \
                created_at, sequence, hash \
             FROM ledger_entries WHERE (organization_id, sequence) > ({organization}, {sequence}) \
             ORDER BY organization_id, sequence LIMIT {most}",
            organization,
            sequence,
            most = PORTION,
        );
        let rows: Vec<EntryRow> = entries.rows(self.conn()).await?;
        Ok(rows.into_iter().map(Entry::from).collect())
    }
}

row! {
    struct AccountRow {
        organization_id: Id<Organization>,
        balance_micros: Option<Money>,
        unentered_micros: Money,
        sequence: Option<i64>,
        hash: Option<Vec<u8>>,
    }
}

row! {
    struct EntryRow {
        organization_id: Id<Organization>,
        id: Uuid,
        kind: String,
        contra_account: String,
        amount_micros: Money,
        messages: i32,
        reference: Option<String>,
        created_at: DateTime<Utc>,
        sequence: i64,
        hash: Vec<u8>,
    }
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Self {
        Self {
            organization: row.organization_id,
            balance: row.balance_micros,
            unentered: row.unentered_micros,
            head: row.sequence.zip(row.hash).map(|(sequence, hash)| Link { sequence, hash }),
        }
    }
}

impl From<EntryRow> for Entry {
    fn from(row: EntryRow) -> Self {
        Self {
            organization: row.organization_id,
            id: row.id,
            kind: row.kind,
            contra_account: row.contra_account,
            amount: row.amount_micros,
            messages: row.messages,
            reference: row.reference,
            created_at: row.created_at,
            link: Link { sequence: row.sequence, hash: row.hash },
        }
    }
}
