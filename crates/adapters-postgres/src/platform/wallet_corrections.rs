//! Corrections of wallets by platform administrators.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    platform::{audit::AuditEntry, wallet_correction::WalletCorrection},
    shared::{id::Id, money::Money},
};
use ports::{
    platform::wallet_corrections::{CorrectionOutcome, WalletCorrectionRepository},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::{
    money::billing::lock_wallet,
    shared::{
        audit_entries,
        database::{connection::Connection, session::PgStore},
        query::{row::row, sql::sql},
    },
};

row! {
    struct KnownRow {
        id: Uuid,
        amount_micros: Money,
        reason: String,
        made_by: Uuid,
        created_at: DateTime<Utc>,
    }
}

#[async_trait]
impl WalletCorrectionRepository for PgStore {
    async fn make(
        &self,
        correction: &WalletCorrection,
        key: Option<String>,
        entry: &AuditEntry,
    ) -> Result<CorrectionOutcome, StoreError> {
        let organization = correction.organization;
        let mut session = self.transaction().await?;
        // Other corrections and all payments of the organization wait here.
        let Some(held) = lock_wallet(session.conn(), organization).await? else {
            return Ok(CorrectionOutcome::NoWallet);
        };
        if let Some(key) = &key
            && let Some(known) = find(session.conn(), organization, key).await?
        {
            if !known.is_same_request(correction) {
                return Ok(CorrectionOutcome::KeyReused);
            }
            let balance = balance(session.conn(), organization).await?;
            return Ok(CorrectionOutcome::Made { correction: known, balance, is_new: false });
        }
        if held + correction.amount < Money::ZERO {
            return Ok(CorrectionOutcome::Insufficient(held));
        }
        write(session.conn(), correction, key).await?;
        audit_entries::insert(session.conn(), entry).await?;
        let balance = balance(session.conn(), organization).await?;
        session.commit().await?;
        let correction = correction.clone();
        Ok(CorrectionOutcome::Made { correction, balance, is_new: true })
    }
}

/// Finds the correction that was made under a key.
async fn find(
    conn: &mut Connection,
    organization: Id<Organization>,
    key: &str,
) -> Result<Option<WalletCorrection>, StoreError> {
    let find = sql!(
        "SELECT id, amount_micros, reason, made_by, created_at FROM wallet_corrections \
         WHERE organization_id = {organization} AND idempotency_key = {key}",
        organization,
        key,
    );
    let known: Option<KnownRow> = find.row(conn).await?;
    Ok(known.map(|row| WalletCorrection {
        id: row.id.into(),
        organization,
        amount: row.amount_micros,
        reason: row.reason,
        made_by: row.made_by.into(),
        at: row.created_at,
    }))
}

/// Writes the ledger entry, the wallet and the correction itself.
async fn write(
    conn: &mut Connection,
    correction: &WalletCorrection,
    key: Option<String>,
) -> Result<(), StoreError> {
    // A trigger adds the account, the number and the hash.
    let enter = sql!(
        "INSERT INTO ledger_entries \
            (id, organization_id, kind, amount_micros, reference, created_at) \
         VALUES ({id}, {organization}, {kind}, {amount}, {reason}, {at})",
        id = correction.id,
        organization = correction.organization,
        kind = WalletCorrection::KIND.as_str(),
        amount = correction.amount,
        reason = &correction.reason,
        at = correction.at,
    );
    enter.execute(conn).await?;
    let change = sql!(
        "UPDATE wallets SET balance_micros = balance_micros + {amount}, \
            updated_at = greatest(updated_at, {at}) \
         WHERE organization_id = {organization}",
        amount = correction.amount,
        at = correction.at,
        organization = correction.organization,
    );
    change.execute(conn).await?;
    let keep = sql!(
        "INSERT INTO wallet_corrections \
            (organization_id, id, idempotency_key, amount_micros, reason, made_by, created_at) \
         VALUES ({organization}, {id}, {key}, {amount}, {reason}, {made_by}, {at})",
        organization = correction.organization,
        id = correction.id,
        key,
        amount = correction.amount,
        reason = &correction.reason,
        made_by = correction.made_by,
        at = correction.at,
    );
    keep.execute(conn).await?;
    Ok(())
}

/// Returns the balance of a wallet, with the refunds that are not moved to it yet.
async fn balance(
    conn: &mut Connection,
    organization: Id<Organization>,
) -> Result<Money, StoreError> {
    sql!("SELECT balance_micros FROM wallet_balance_of({organization})", organization)
        .only(conn)
        .await
}
