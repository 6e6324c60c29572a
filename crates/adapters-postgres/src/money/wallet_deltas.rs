//! Money that moves with messages: wallets, locked in a fixed order, and their balances.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    identity::organization::Organization,
    money::funds::{Allowance, Funds},
    shared::{id::Id, money::Money},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    query::{row::row, sql::sql},
};

/// Amounts by which wallets change, and numbers of messages.
#[derive(Default)]
pub(crate) struct WalletDeltas(BTreeMap<Id<Organization>, (Money, i32)>);

impl WalletDeltas {
    /// Adds `amount` for one message. Zero is no movement.
    pub(crate) fn add(&mut self, organization: Id<Organization>, amount: Money) {
        if amount != Money::ZERO {
            let (total, messages) = self.0.entry(organization).or_default();
            *total += amount;
            *messages += 1;
        }
    }

    /// Returns the deltas column by column.
    pub(crate) fn columns(&self) -> WalletDeltaColumns {
        WalletDeltaColumns {
            organizations: self.0.keys().map(|id| id.uuid()).collect(),
            amounts: self.0.values().map(|(amount, _)| amount.micros()).collect(),
            messages: self.0.values().map(|(_, messages)| *messages).collect(),
        }
    }
}

/// [`WalletDeltas`], column by column.
#[derive(Default)]
pub(crate) struct WalletDeltaColumns {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) amounts: Vec<i64>,
    pub(crate) messages: Vec<i32>,
}

/// Locks wallets until commit and returns the amounts that can be paid from them at `now`. All
/// transactions that lock several do so in the order of the organizations, so that none deadlocks
/// with another.
pub(crate) async fn lock_wallets(
    conn: &Connection,
    organizations: Vec<Id<Organization>>,
    now: DateTime<Utc>,
) -> Result<FundsOfWallets, StoreError> {
    if organizations.is_empty() {
        return Ok(HashMap::new());
    }
    let lock = sql!(
        "SELECT organization_id, balance_micros, daily_limit_micros, spent_on, spent_micros \
         FROM wallets WHERE organization_id = ANY({organizations}) \
         ORDER BY organization_id FOR NO KEY UPDATE",
        organizations,
    );
    Ok(funds(lock.rows(conn).await?, now))
}

/// Returns the amounts that can be paid from wallets at `now`, which may change at any time.
pub(crate) async fn read_wallets(
    conn: &Connection,
    organizations: Vec<Id<Organization>>,
    now: DateTime<Utc>,
) -> Result<FundsOfWallets, StoreError> {
    if organizations.is_empty() {
        return Ok(HashMap::new());
    }
    let read = sql!(
        "SELECT organization_id, balance_micros, daily_limit_micros, spent_on, spent_micros \
         FROM wallets WHERE organization_id = ANY({organizations})",
        organizations,
    );
    Ok(funds(read.rows(conn).await?, now))
}

type FundsOfWallets = HashMap<Id<Organization>, Funds>;

row! {
    struct FundsRow {
        organization_id: Id<Organization>,
        balance_micros: Money,
        daily_limit_micros: Option<Money>,
        /// Day of the last spending.
        spent_on: Option<NaiveDate>,
        /// Amount spent on that day.
        spent_micros: Money,
    }
}

fn funds(rows: Vec<FundsRow>, now: DateTime<Utc>) -> FundsOfWallets {
    let funds = |row: FundsRow| {
        let (spent_on, spent) = (row.spent_on, row.spent_micros);
        let limit = row.daily_limit_micros;
        let allowance = limit.map(|limit| Allowance::at(now, limit, spent_on, spent));
        (row.organization_id, Funds { balance: row.balance_micros, allowance })
    };
    rows.into_iter().map(funds).collect()
}

/// Returns the wallets that no transaction has locked at the moment.
pub(crate) async fn free_wallets(
    store: &PgStore,
    organizations: &[Id<Organization>],
) -> Result<HashSet<Id<Organization>>, StoreError> {
    let session = store.session().await?;
    let free = sql!(
        "SELECT organization_id FROM wallets WHERE organization_id = ANY({organizations}) \
         ORDER BY organization_id FOR NO KEY UPDATE SKIP LOCKED",
        organizations,
    );
    let free: Vec<Id<Organization>> = free.values(session.pipeline()).await?;
    Ok(free.into_iter().collect())
}

/// Returns the organizations that have refunds still to be moved to their wallets.
pub(crate) async fn owed_refunds(
    conn: &Connection,
    organizations: &[Id<Organization>],
) -> Result<HashSet<Id<Organization>>, StoreError> {
    let owed = sql!(
        "SELECT DISTINCT unnest(payee_ids) FROM journal \
         WHERE payee_ids && {organizations}::uuid[]",
        organizations,
    );
    let owed: Vec<Id<Organization>> = owed.values(conn).await?;
    Ok(owed.into_iter().collect())
}

/// Pays from wallets, in the order of the organizations: a wallet can only be found by its key, so
/// they are locked in that order. Should two batches deadlock all the same, the one that
/// `PostgreSQL` ends is written again. The spending of a day is added up beside the balance, and
/// the statement fails if it exceeds the limit of the organization. A day that has begun on one
/// instance continues on those whose clocks are behind.
pub(crate) const MOVE: &str = "\
    UPDATE wallets SET balance_micros = balance_micros + moved.amount, updated_at = moved.at, \
        spent_on = greatest(spent_on, moved.day), \
        spent_micros = CASE \
            WHEN spent_on >= moved.day AND spent_micros - moved.amount > daily_limit_micros \
                OR -moved.amount > daily_limit_micros THEN refuse_spending() \
            WHEN spent_on >= moved.day THEN spent_micros - moved.amount \
            ELSE -moved.amount END \
    FROM (SELECT organization_id, amount, at, (at AT TIME ZONE 'UTC')::date AS day \
        FROM (SELECT {now}::timestamptz AS at) AS given, \
            UNNEST({payers}::uuid[], {debits}::bigint[]) AS change (organization_id, amount) \
        ORDER BY organization_id) AS moved \
    WHERE wallets.organization_id = ANY(ARRAY[moved.organization_id])";
