//! Wallets.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    identity::organization::Organization,
    money::wallet::{Credit, Credited, LedgerKind, Wallet},
    shared::{id::Id, money::Money},
};
use ports::{money::billing::WalletRepository, shared::store::StoreError};

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

#[async_trait]
impl WalletRepository for PgStore {
    async fn open(
        &self,
        organization: Id<Organization>,
        credit: Money,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::new(&[OPEN])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<SqlUuid, _>(Id::<Credit>::new_in(now, organization).uuid())
            .bind::<Text, _>(LedgerKind::TrialCredit.as_str())
            .bind::<Text, _>(TRIAL)
            .bind::<BigInt, _>(credit.micros())
            .bind::<BigInt, _>(credit.micros())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn credit(&self, credit: &Credit) -> Result<Credited, StoreError> {
        credit_wallet(self.session().await?.conn(), credit).await
    }

    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError> {
        let query = Statement::<(BigInt, Timestamptz)>::returning(&[FIND_WALLET])
            .bind::<SqlUuid, _>(organization.uuid());
        let row: Option<(i64, DateTime<Utc>)> =
            query.get_result(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row
            .map(|(micros, updated_at)| Wallet { balance: Money::from_micros(micros), updated_at }))
    }
}

/// Credits a wallet, in the transaction of the reason for the credit.
pub(crate) async fn credit_wallet(
    conn: &mut Connection,
    credit: &Credit,
) -> Result<Credited, StoreError> {
    let statement = Statement::<(Bool, BigInt)>::returning(&[CREDIT_WALLET])
        .bind::<SqlUuid, _>(credit.organization.uuid())
        .bind::<SqlUuid, _>(credit.id.uuid())
        .bind::<Text, _>(credit.kind.as_str())
        .bind::<Text, _>(&credit.reference)
        .bind::<BigInt, _>(credit.amount.micros())
        .bind::<Timestamptz, _>(credit.at);
    let (is_new, micros): (bool, i64) = statement.get_result(conn).await.map_err(store_error)?;
    Ok(Credited { is_new, balance: Money::from_micros(micros) })
}

/// Returns the amount that the wallet got for the reference of a credit under another kind; `None` if it
/// got none. Such a credit that is under way is waited for, and one that comes later waits.
pub(crate) async fn credited_as(
    conn: &mut Connection,
    kind: LedgerKind,
    credit: &Credit,
) -> Result<Option<Money>, StoreError> {
    lock_wallet(conn, credit.organization).await?;
    let find = Statement::<BigInt>::returning(&[CREDITED_AS])
        .bind::<SqlUuid, _>(credit.organization.uuid())
        .bind::<Text, _>(kind.as_str())
        .bind::<Text, _>(&credit.reference);
    let micros: Option<i64> = find.get_result(conn).await.optional().map_err(store_error)?;
    Ok(micros.map(Money::from_micros))
}

/// Locks a wallet until commit, and returns its money; `None` if there is no wallet.
pub(crate) async fn lock_wallet(
    conn: &mut Connection,
    organization: Id<Organization>,
) -> Result<Option<Money>, StoreError> {
    let lock =
        Statement::<BigInt>::returning(&[LOCK_WALLET]).bind::<SqlUuid, _>(organization.uuid());
    let held: Option<i64> = lock.get_result(conn).await.optional().map_err(store_error)?;
    Ok(held.map(Money::from_micros))
}

const LOCK_WALLET: &str = "\
    SELECT balance_micros FROM wallets WHERE organization_id = ? FOR NO KEY UPDATE";

const CREDITED_AS: &str = "\
    SELECT amount_micros FROM wallet_credits \
    WHERE organization_id = ? AND kind = ? AND reference = ?";

const CREDIT_WALLET: &str = "SELECT is_new, balance_micros FROM credit_wallet(?, ?, ?, ?, ?, ?)";

/// Reference of the trial credit, of which there is one.
const TRIAL: &str = "trial";

/// The credit is given only if there is no wallet yet.
const OPEN: &str = "\
    WITH opened AS ( \
        INSERT INTO wallets (organization_id, balance_micros, updated_at) VALUES (?, 0, ?) \
        ON CONFLICT (organization_id) DO NOTHING RETURNING organization_id, updated_at \
    ) \
    SELECT credited.is_new FROM opened \
    CROSS JOIN LATERAL credit_wallet(organization_id, ?, ?, ?, ?, updated_at) AS credited \
    WHERE ?::bigint > 0";

const FIND_WALLET: &str = "SELECT balance_micros, updated_at FROM wallet_balance_of(?)";
