//! Money that moves with messages: wallets locked in a fixed order, the ledger, the balances.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use diesel::sql_types::{Array, BigInt, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::{id::Id, money::Money, organization::Organization, wallet::LedgerKind};
use futures_util::future::try_join;
use ports::store::StoreError;
use uuid::Uuid;

use crate::{connection::Connection, error::store_error, statement::Statement};

/// Amounts by which wallets change, and for how many messages each.
#[derive(Default)]
pub(crate) struct Movements(BTreeMap<Id<Organization>, (Money, i32)>);

struct LedgerEntry;

impl Movements {
    /// Adds `amount` for one message. Nothing is no movement.
    pub(crate) fn add(&mut self, organization: Id<Organization>, amount: Money) {
        if amount != Money::ZERO {
            let (total, messages) = self.0.entry(organization).or_default();
            *total += amount;
            *messages += 1;
        }
    }

    /// The wallets that change, in the order in which they are locked.
    pub(crate) fn organizations(&self) -> Vec<Id<Organization>> {
        self.0.keys().copied().collect()
    }

    /// Writes one entry for each organization into the ledger, and the new balances.
    pub(crate) async fn apply(
        self,
        mut conn: &Connection,
        kind: LedgerKind,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let columns = self.columns();
        let ids: Vec<_> =
            columns.organizations.iter().map(|_| Id::<LedgerEntry>::new(now).uuid()).collect();
        let mut same = conn;
        let enter = Statement::<Enter>::new(&[ENTER])
            .bind::<Text, _>(kind.as_str())
            .bind::<Timestamptz, _>(now)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Array<SqlUuid>, _>(&columns.organizations)
            .bind::<Array<BigInt>, _>(&columns.amounts)
            .bind::<Array<Integer>, _>(&columns.messages);
        let change = columns.bind_moves(Statement::<Move>::new(&[MOVE]), now);
        let written = try_join(enter.execute(&mut conn), change.execute(&mut same)).await;
        written.map_err(store_error)?;
        Ok(())
    }

    /// The same, column by column.
    pub(crate) fn columns(&self) -> MovementColumns {
        MovementColumns {
            organizations: self.0.keys().map(|id| id.uuid()).collect(),
            amounts: self.0.values().map(|(amount, _)| amount.micros()).collect(),
            messages: self.0.values().map(|(_, messages)| *messages).collect(),
        }
    }
}

/// [`Movements`], column by column.
#[derive(Default)]
pub(crate) struct MovementColumns {
    pub(crate) organizations: Vec<Uuid>,
    pub(crate) amounts: Vec<i64>,
    pub(crate) messages: Vec<i32>,
}

impl MovementColumns {
    /// Binds the values of [`MOVE`].
    pub(crate) fn bind_moves<'c, N, ST>(
        &'c self,
        statement: Statement<'c, N, ST>,
        now: DateTime<Utc>,
    ) -> Statement<'c, N, ST> {
        statement
            .bind::<Timestamptz, _>(now)
            .bind::<Array<SqlUuid>, _>(&self.organizations)
            .bind::<Array<BigInt>, _>(&self.amounts)
    }
}

/// Locks wallets until commit and returns their balances. All who lock several do it in the order
/// of the organizations, so that nobody waits for another in a circle.
pub(crate) async fn lock_wallets(
    conn: &Connection,
    organizations: Vec<Id<Organization>>,
) -> Result<Balances, StoreError> {
    balances(conn, Statement::<Lock, BalanceRow>::new(&[LOCK]), organizations).await
}

/// The balances of wallets, which may change at any time.
pub(crate) async fn read_wallets(
    conn: &Connection,
    organizations: Vec<Id<Organization>>,
) -> Result<Balances, StoreError> {
    balances(conn, Statement::<Read, BalanceRow>::new(&[READ]), organizations).await
}

type Balances = HashMap<Id<Organization>, Money>;
type BalanceRow = (SqlUuid, BigInt);

async fn balances<N: Send + 'static>(
    mut conn: &Connection,
    statement: Statement<'_, N, BalanceRow>,
    organizations: Vec<Id<Organization>>,
) -> Result<Balances, StoreError> {
    if organizations.is_empty() {
        return Ok(HashMap::new());
    }
    let organizations: Vec<Uuid> = organizations.into_iter().map(Id::uuid).collect();
    let statement = statement.bind::<Array<SqlUuid>, _>(organizations);
    let rows: Vec<(Uuid, i64)> = statement.load(&mut conn).await.map_err(store_error)?;
    let balance = |(id, micros): (Uuid, i64)| (Id::of(id), Money::from_micros(micros));
    Ok(rows.into_iter().map(balance).collect())
}

struct Read;
const READ: &str = "\
    SELECT organization_id, balance_micros FROM wallets WHERE organization_id = ANY(?)";

struct Lock;
const LOCK: &str = "\
    SELECT organization_id, balance_micros FROM wallets WHERE organization_id = ANY(?) \
    ORDER BY organization_id FOR NO KEY UPDATE";

struct Enter;
const ENTER: &str = "\
    INSERT INTO ledger_entries (kind, created_at, id, organization_id, amount_micros, messages) \
    SELECT ?, ?, * FROM UNNEST(?, ?, ?, ?)";

struct Move;
/// Moves balances, in the order of the organizations.
pub(crate) const MOVE: &str = "\
    UPDATE wallets SET balance_micros = balance_micros + moved.amount, updated_at = ? \
    FROM UNNEST(?, ?) AS moved (organization_id, amount) \
    WHERE wallets.organization_id = ANY(ARRAY[moved.organization_id])";
