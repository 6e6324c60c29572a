//! Money that moves with messages: wallets locked in a fixed order, the ledger, the balances.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use diesel::sql_types::{Array, BigInt, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{id::Id, money::Money, organization::Organization, wallet::LedgerKind};
use ports::store::StoreError;
use uuid::Uuid;

use crate::{error::store_error, statement::Statement};

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
        conn: &mut AsyncPgConnection,
        kind: LedgerKind,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let ids: Vec<Uuid> = self.0.keys().map(|_| Id::<LedgerEntry>::new(now).uuid()).collect();
        let organizations: Vec<Uuid> = self.0.keys().map(|id| id.uuid()).collect();
        let amounts: Vec<i64> = self.0.values().map(|(amount, _)| amount.micros()).collect();
        let messages: Vec<i32> = self.0.values().map(|(_, messages)| *messages).collect();
        Statement::<Enter>::new(ENTER)
            .bind::<Text, _>(kind.as_str())
            .bind::<Timestamptz, _>(now)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Array<SqlUuid>, _>(&organizations)
            .bind::<Array<BigInt>, _>(&amounts)
            .bind::<Array<Integer>, _>(messages)
            .execute(conn)
            .await
            .map_err(store_error)?;
        Statement::<Move>::new(MOVE)
            .bind::<Timestamptz, _>(now)
            .bind::<Array<SqlUuid>, _>(&organizations)
            .bind::<Array<BigInt>, _>(&amounts)
            .execute(conn)
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

/// Locks wallets until commit and returns their balances. All who lock several do it in the order
/// of the organizations, so that nobody waits for another in a circle.
pub(crate) async fn lock_wallets(
    conn: &mut AsyncPgConnection,
    organizations: Vec<Id<Organization>>,
) -> Result<HashMap<Id<Organization>, Money>, StoreError> {
    let organizations: Vec<Uuid> = organizations.into_iter().map(Id::uuid).collect();
    let rows: Vec<(Uuid, i64)> = Statement::<Lock, (SqlUuid, BigInt)>::new(LOCK)
        .bind::<Array<SqlUuid>, _>(organizations)
        .load(conn)
        .await
        .map_err(store_error)?;
    let balance = |(id, micros): (Uuid, i64)| (Id::of(id), Money::from_micros(micros));
    Ok(rows.into_iter().map(balance).collect())
}

struct Lock;
const LOCK: &str = "\
    SELECT organization_id, balance_micros FROM wallets WHERE organization_id = ANY(?) \
    ORDER BY organization_id FOR NO KEY UPDATE";

struct Enter;
const ENTER: &str = "\
    INSERT INTO ledger_entries (kind, created_at, id, organization_id, amount_micros, messages) \
    SELECT ?, ?, * FROM UNNEST(?, ?, ?, ?)";

struct Move;
const MOVE: &str = "\
    UPDATE wallets SET balance_micros = balance_micros + moved.amount, updated_at = ? \
    FROM UNNEST(?, ?) AS moved (organization_id, amount) \
    WHERE wallets.organization_id = moved.organization_id";
