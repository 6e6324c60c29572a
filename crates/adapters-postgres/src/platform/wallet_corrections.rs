//! Corrections of wallets by platform administrators.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
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
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
};

/// Identifier, amount, reason, administrator and time.
type KnownTypes = (SqlUuid, BigInt, Text, SqlUuid, Timestamptz);
type Known = (Uuid, i64, String, Uuid, DateTime<Utc>);

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
    let find = Statement::<KnownTypes>::returning(&[FIND])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Text, _>(key);
    let known: Option<Known> = find.get_result(conn).await.optional().map_err(store_error)?;
    Ok(known.map(|(id, micros, reason, made_by, at)| WalletCorrection {
        id: id.into(),
        organization,
        amount: Money::from_micros(micros),
        reason,
        made_by: made_by.into(),
        at,
    }))
}

/// Writes the ledger entry, the wallet and the correction itself.
async fn write(
    conn: &mut Connection,
    correction: &WalletCorrection,
    key: Option<String>,
) -> Result<(), StoreError> {
    let (organization, micros) = (correction.organization.uuid(), correction.amount.micros());
    Statement::new(&[ENTER])
        .bind::<SqlUuid, _>(correction.id.uuid())
        .bind::<SqlUuid, _>(organization)
        .bind::<Text, _>(WalletCorrection::KIND.as_str())
        .bind::<BigInt, _>(micros)
        .bind::<Text, _>(&correction.reason)
        .bind::<Timestamptz, _>(correction.at)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Statement::new(&[MOVE])
        .bind::<BigInt, _>(micros)
        .bind::<Timestamptz, _>(correction.at)
        .bind::<SqlUuid, _>(organization)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Statement::new(&[KEEP])
        .bind::<SqlUuid, _>(organization)
        .bind::<SqlUuid, _>(correction.id.uuid())
        .bind::<Nullable<Text>, _>(key)
        .bind::<BigInt, _>(micros)
        .bind::<Text, _>(&correction.reason)
        .bind::<SqlUuid, _>(correction.made_by.uuid())
        .bind::<Timestamptz, _>(correction.at)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

/// Returns the balance of a wallet, with the refunds that are not moved to it yet.
async fn balance(
    conn: &mut Connection,
    organization: Id<Organization>,
) -> Result<Money, StoreError> {
    let query = Statement::<BigInt>::returning(&[BALANCE]).bind::<SqlUuid, _>(organization.uuid());
    let micros: i64 = query.get_result(conn).await.map_err(store_error)?;
    Ok(Money::from_micros(micros))
}

const FIND: &str = "\
    SELECT id, amount_micros, reason, made_by, created_at FROM wallet_corrections \
    WHERE organization_id = ? AND idempotency_key = ?";

/// A trigger adds the account, the number and the hash.
const ENTER: &str = "\
    INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, reference, created_at) \
    VALUES (?, ?, ?, ?, ?, ?)";

const MOVE: &str = "\
    UPDATE wallets SET balance_micros = balance_micros + ?, updated_at = greatest(updated_at, ?) \
    WHERE organization_id = ?";

const KEEP: &str = "\
    INSERT INTO wallet_corrections \
        (organization_id, id, idempotency_key, amount_micros, reason, made_by, created_at) \
    VALUES (?, ?, ?, ?, ?, ?, ?)";

const BALANCE: &str = "SELECT balance_micros FROM wallet_balance_of(?)";
