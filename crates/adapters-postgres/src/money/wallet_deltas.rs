//! Money that moves with messages: wallets, locked in a fixed order, and their balances.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use diesel::sql_types::{Array, BigInt, Date, Nullable, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization,
    money::funds::{Allowance, Funds},
    shared::{id::Id, money::Money},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
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
    funds(conn, Statement::<FundsRow>::returning(&[LOCK]), organizations, now).await
}

/// Returns the amounts that can be paid from wallets at `now`, which may change at any time.
pub(crate) async fn read_wallets(
    conn: &Connection,
    organizations: Vec<Id<Organization>>,
    now: DateTime<Utc>,
) -> Result<FundsOfWallets, StoreError> {
    funds(conn, Statement::<FundsRow>::returning(&[READ]), organizations, now).await
}

type FundsOfWallets = HashMap<Id<Organization>, Funds>;
/// Organization, balance, daily limit, and the day and amount of the last spending.
type FundsRow = (SqlUuid, BigInt, Nullable<BigInt>, Nullable<Date>, BigInt);
type Found = (Uuid, i64, Option<i64>, Option<NaiveDate>, i64);

async fn funds(
    mut conn: &Connection,
    statement: Statement<'_, FundsRow>,
    organizations: Vec<Id<Organization>>,
    now: DateTime<Utc>,
) -> Result<FundsOfWallets, StoreError> {
    if organizations.is_empty() {
        return Ok(HashMap::new());
    }
    let organizations: Vec<Uuid> = organizations.into_iter().map(Id::uuid).collect();
    let statement = statement.bind::<Array<SqlUuid>, _>(organizations);
    let rows: Vec<Found> = statement.load(&mut conn).await.map_err(store_error)?;
    let funds = |(id, balance, limit, spent_on, spent): Found| {
        let limit = limit.map(Money::from_micros);
        let spent = Money::from_micros(spent);
        let allowance = limit.map(|limit| Allowance::at(now, limit, spent_on, spent));
        (Id::of(id), Funds { balance: Money::from_micros(balance), allowance })
    };
    Ok(rows.into_iter().map(funds).collect())
}

/// Returns the wallets that no transaction has locked at the moment.
pub(crate) async fn free_wallets(
    store: &PgStore,
    organizations: &[Id<Organization>],
) -> Result<HashSet<Id<Organization>>, StoreError> {
    let session = store.session().await?;
    let mut conn = session.pipeline();
    let organizations: Vec<Uuid> = organizations.iter().map(|it| it.uuid()).collect();
    let free = Statement::<SqlUuid>::returning(&[FREE]).bind::<Array<SqlUuid>, _>(organizations);
    let free: Vec<Uuid> = free.load(&mut conn).await.map_err(store_error)?;
    Ok(free.into_iter().map(Id::of).collect())
}

/// Returns the organizations that have refunds still to be moved to their wallets.
pub(crate) async fn owed_refunds(
    mut conn: &Connection,
    organizations: &[Id<Organization>],
) -> Result<HashSet<Id<Organization>>, StoreError> {
    let organizations: Vec<Uuid> = organizations.iter().map(|it| it.uuid()).collect();
    let owed = Statement::<SqlUuid>::returning(&[OWED]).bind::<Array<SqlUuid>, _>(organizations);
    let owed: Vec<Uuid> = owed.load(&mut conn).await.map_err(store_error)?;
    Ok(owed.into_iter().map(Id::of).collect())
}

const READ: &str = "\
    SELECT organization_id, balance_micros, daily_limit_micros, spent_on, spent_micros \
    FROM wallets WHERE organization_id = ANY(?)";

const LOCK: &str = "\
    SELECT organization_id, balance_micros, daily_limit_micros, spent_on, spent_micros \
    FROM wallets WHERE organization_id = ANY(?) \
    ORDER BY organization_id FOR NO KEY UPDATE";

const FREE: &str = "\
    SELECT organization_id FROM wallets WHERE organization_id = ANY(?) \
    ORDER BY organization_id FOR NO KEY UPDATE SKIP LOCKED";

const OWED: &str = "SELECT DISTINCT unnest(payee_ids) FROM journal WHERE payee_ids && ?";

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
