//! Wallets that fell below the thresholds of their organizations.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Bool, Integer, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    identity::organization::Organization,
    money::wallet::Wallet,
    platform::notice::Notice,
    shared::{id::Id, money::Money, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::{
    shared::{
        database::session::PgStore,
        error::store_error,
        notices,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
    webhooks::outbound_events,
};

/// Number of wallets read at a time.
const PAGE: usize = 200;

/// Balance, threshold, true if the balance is low, number of falls so far, time of the last change, and
/// the current time.
type NotedTypes = (BigInt, BigInt, Bool, Integer, Timestamptz, Timestamptz);
type NotedRow = (i64, i64, bool, i32, DateTime<Utc>, DateTime<Utc>);

impl PgStore {
    /// Notes which wallets fell below the thresholds of their organizations, and which rose to them
    /// again. A fall is published, and its notice written. A failure is retried by the next call and does
    /// not delay other organizations. Meant to be called every half a minute; any number of instances may
    /// do so at once.
    pub async fn note_low_balances(&self) -> Result<(), StoreError> {
        let mut after = Uuid::nil();
        loop {
            let crossed = self.crossed_thresholds(after).await?;
            for organization in crossed.iter().copied().map(Id::of) {
                if let Err(error) = self.note_balance(organization).await {
                    tracing::warn!(%error, %organization, "failed to note a low balance");
                }
            }
            match crossed.last() {
                Some(last) if crossed.len() == PAGE => after = *last,
                _ => return Ok(()),
            }
        }
    }

    /// Returns organizations whose balances crossed their thresholds since that was noted.
    async fn crossed_thresholds(&self, after: Uuid) -> Result<Vec<Uuid>, StoreError> {
        let query = Statement::<SqlUuid>::returning(&[CROSSED])
            .bind::<SqlUuid, _>(after)
            .bind::<BigInt, _>(i64::try_from(PAGE).unwrap_or(i64::MAX));
        query.load(self.session().await?.conn()).await.map_err(store_error)
    }

    /// Notes one balance in a short transaction of its own, since the sending of messages waits for the
    /// wallet.
    async fn note_balance(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        let note =
            Statement::<NotedTypes>::returning(&[NOTE]).bind::<SqlUuid, _>(organization.uuid());
        let mut transaction = self.transaction().await?;
        let noted: Option<NotedRow> =
            note.get_result(transaction.conn()).await.optional().map_err(store_error)?;
        let Some((balance, threshold, is_low, falls, updated_at, now)) = noted else {
            return Ok(());
        };
        if is_low {
            let wallet = Wallet { balance: Money::from_micros(balance), updated_at };
            let threshold = Money::from_micros(threshold);
            let event = event(organization, &wallet, threshold, now);
            outbound_events::publish(transaction.conn(), &event).await?;
            let figures = (wallet.balance, threshold);
            let notice = Notice::of_low_balance(organization, figures, falls, now);
            notices::insert(transaction.conn(), &notice).await?;
        }
        transaction.commit().await
    }
}

/// Returns the event of a wallet that fell below its threshold.
fn event(
    organization: Id<Organization>,
    wallet: &Wallet,
    threshold: Money,
    now: DateTime<Utc>,
) -> OutboundEvent {
    OutboundEvent {
        id: Id::new_in(now, organization),
        organization,
        event: WebhookEvent::WalletLow,
        subject: organization.uuid(),
        data: wallet.to_json_below(threshold).to_string(),
        at: now,
    }
}

/// Without a threshold no balance is low.
const CROSSED: &str = "\
    SELECT organization_id FROM wallets \
    WHERE low_balance_micros IS NOT NULL AND organization_id > ? \
        AND (balance_micros < low_balance_micros) <> is_low \
    ORDER BY organization_id LIMIT ?";

const NOTE: &str = "\
    UPDATE wallets SET is_low = NOT is_low, falls = falls + CASE WHEN is_low THEN 0 ELSE 1 END \
    WHERE organization_id = ? AND (balance_micros < low_balance_micros) <> is_low \
    RETURNING balance_micros, low_balance_micros, is_low, falls, updated_at, now()";
