//! Wallets.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::result::Error as DieselError;
use domain::{
    identity::organization::Organization,
    money::wallet::{Credit, Credited, LedgerKind, Wallet},
    shared::{id::Id, money::Money},
};
use ports::{money::billing::WalletRepository, shared::store::StoreError};

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::store_error,
    query::{row::row, sql::sql},
};

row! {
    struct WalletRow {
        balance_micros: Money,
        updated_at: DateTime<Utc>,
    }
}

row! {
    struct CreditedRow {
        is_new: bool,
        balance_micros: Money,
    }
}

#[async_trait]
impl WalletRepository for PgStore {
    async fn open(
        &self,
        organization: Id<Organization>,
        credit: Money,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        // The credit is given only if there is no wallet yet.
        let open = sql!(
            "WITH opened AS ( \
                INSERT INTO wallets (organization_id, balance_micros, updated_at) \
                VALUES ({organization}, 0, {now}) \
                ON CONFLICT (organization_id) DO NOTHING RETURNING organization_id, updated_at \
             ) \
             SELECT credited.is_new FROM opened \
             CROSS JOIN LATERAL credit_wallet( \
                organization_id, {id}, {kind}, {reference}, {credit}, updated_at) AS credited \
             WHERE {credit}::bigint > 0",
            organization,
            now,
            id = Id::<Credit>::new_in(now, organization),
            kind = LedgerKind::TrialCredit.as_str(),
            reference = TRIAL,
            credit,
        );
        open.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn credit(&self, credit: &Credit) -> Result<Credited, StoreError> {
        credit_wallet(self.session().await?.conn(), credit).await
    }

    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError> {
        let find = sql!(
            "SELECT balance_micros, updated_at FROM wallet_balance_of({organization})",
            organization,
        );
        let row: Option<WalletRow> = find.row(self.session().await?.conn()).await?;
        Ok(row.map(|row| Wallet { balance: row.balance_micros, updated_at: row.updated_at }))
    }
}

/// Credits a wallet, in the transaction of the reason for the credit.
pub(crate) async fn credit_wallet(
    conn: &mut Connection,
    credit: &Credit,
) -> Result<Credited, StoreError> {
    let statement = sql!(
        "SELECT is_new, balance_micros \
         FROM credit_wallet({organization}, {id}, {kind}, {reference}, {amount}, {at})",
        organization = credit.organization,
        id = credit.id,
        kind = credit.kind.as_str(),
        reference = credit.reference.as_str(),
        amount = credit.amount,
        at = credit.at,
    );
    let row: Option<CreditedRow> = statement.row(conn).await?;
    let row = row.ok_or_else(|| store_error(DieselError::NotFound))?;
    Ok(Credited { is_new: row.is_new, balance: row.balance_micros })
}

/// Returns the amount that the wallet got for the reference of a credit under another kind; `None` if it
/// got none. Such a credit that is under way is waited for, and one that comes later waits.
pub(crate) async fn credited_as(
    conn: &mut Connection,
    kind: LedgerKind,
    credit: &Credit,
) -> Result<Option<Money>, StoreError> {
    lock_wallet(conn, credit.organization).await?;
    let find = sql!(
        "SELECT amount_micros FROM wallet_credits \
         WHERE organization_id = {organization} AND kind = {kind} AND reference = {reference}",
        organization = credit.organization,
        kind = kind.as_str(),
        reference = credit.reference.as_str(),
    );
    find.value(conn).await
}

/// Locks a wallet until commit, and returns its money; `None` if there is no wallet.
pub(crate) async fn lock_wallet(
    conn: &mut Connection,
    organization: Id<Organization>,
) -> Result<Option<Money>, StoreError> {
    let lock = sql!(
        "SELECT balance_micros FROM wallets WHERE organization_id = {organization} \
         FOR NO KEY UPDATE",
        organization,
    );
    lock.value(conn).await
}

/// Reference of the trial credit, of which there is one.
const TRIAL: &str = "trial";
