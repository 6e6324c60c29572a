//! Wallets that fell below the thresholds of their organizations.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Bool, Integer, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    identity::organization::Organization,
    money::wallet::Wallet,
    shared::{id::Id, money::Money, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    money::spending::{BalanceChange, LowBalances},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::{
    shared::{
        database::session::PgStore,
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
    webhooks::outbound_events,
};

#[async_trait]
impl LowBalances for PgStore {
    async fn changes(
        &self,
        after: Option<Id<Organization>>,
        limit: usize,
    ) -> Result<Vec<BalanceChange>, StoreError> {
        type Row = (SqlUuid, BigInt, BigInt, Integer);
        let changes: Vec<(Uuid, i64, i64, i32)> = Statement::<Row>::returning(&[CHANGES])
            .bind::<SqlUuid, _>(after.map_or(Uuid::nil(), Id::uuid))
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
            .load(self.session().await?.conn())
            .await
            .map_err(store_error)?;
        let change = |(organization, balance, threshold, falls)| BalanceChange {
            organization: Id::of(organization),
            balance: Money::from_micros(balance),
            threshold: Money::from_micros(threshold),
            falls,
        };
        Ok(changes.into_iter().map(change).collect())
    }

    async fn note(&self, change: &BalanceChange) -> Result<(), StoreError> {
        let is_fall = change.is_fall();
        let note = Statement::<(Timestamptz, Timestamptz)>::returning(&[NOTE])
            .bind::<Bool, _>(is_fall)
            .bind::<Integer, _>(i32::from(is_fall))
            .bind::<SqlUuid, _>(change.organization.uuid())
            .bind::<Integer, _>(change.falls)
            .bind::<Bool, _>(is_fall);
        let mut session = self.transaction().await?;
        let noted: Option<(DateTime<Utc>, DateTime<Utc>)> =
            note.get_result(session.conn()).await.optional().map_err(store_error)?;
        let Some((updated_at, now)) = noted else { return Ok(()) };
        if is_fall {
            let event = event(change, updated_at, now);
            outbound_events::publish(session.conn(), &event).await?;
        }
        session.commit().await
    }
}

/// Returns the event of a wallet that fell below its threshold.
fn event(change: &BalanceChange, updated_at: DateTime<Utc>, now: DateTime<Utc>) -> OutboundEvent {
    let wallet = Wallet { balance: change.balance, updated_at };
    OutboundEvent {
        id: Id::new_in(now, change.organization),
        organization: change.organization,
        event: WebhookEvent::WalletLow,
        subject: change.organization.uuid(),
        data: wallet.to_json_below(change.threshold).to_string(),
        at: now,
    }
}

/// Without a threshold no balance is low.
const CHANGES: &str = "\
    SELECT organization_id, balance_micros, low_balance_micros, falls FROM wallets \
    WHERE low_balance_micros IS NOT NULL AND organization_id > ? \
        AND (balance_micros < low_balance_micros) <> is_low \
    ORDER BY organization_id LIMIT ?";

const NOTE: &str = "\
    UPDATE wallets SET is_low = ?, falls = falls + ? \
    WHERE organization_id = ? AND falls = ? AND is_low <> ? RETURNING updated_at, now()";
