//! Wallets that fell below the thresholds of their organizations.

use chrono::{DateTime, Utc};
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
        notices,
        query::{row::row, sql::sql},
    },
    webhooks::outbound_events,
};

/// Number of wallets read at a time.
const PAGE: usize = 200;

row! {
    /// Wallet that crossed its threshold.
    struct NotedRow {
        balance_micros: Money,
        /// Threshold.
        low_balance_micros: Money,
        is_low: bool,
        /// Number of falls so far.
        falls: i32,
        updated_at: DateTime<Utc>,
        now: DateTime<Utc>,
    }
}

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
        // Without a threshold no balance is low.
        let crossed = sql!(
            "SELECT organization_id FROM wallets \
             WHERE low_balance_micros IS NOT NULL AND organization_id > {after} \
                AND (balance_micros < low_balance_micros) <> is_low \
             ORDER BY organization_id LIMIT {most}",
            after,
            most = i64::try_from(PAGE).unwrap_or(i64::MAX),
        );
        crossed.values(self.session().await?.conn()).await
    }

    /// Notes one balance in a short transaction of its own, since the sending of messages waits for the
    /// wallet.
    async fn note_balance(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        let note = sql!(
            "UPDATE wallets SET is_low = NOT is_low, \
                falls = falls + CASE WHEN is_low THEN 0 ELSE 1 END \
             WHERE organization_id = {organization} \
                AND (balance_micros < low_balance_micros) <> is_low \
             RETURNING balance_micros, low_balance_micros, is_low, falls, updated_at, now() AS now",
            organization,
        );
        let mut transaction = self.transaction().await?;
        let noted: Option<NotedRow> = note.row(transaction.conn()).await?;
        let Some(noted) = noted else { return Ok(()) };
        if noted.is_low {
            let wallet = Wallet { balance: noted.balance_micros, updated_at: noted.updated_at };
            let (threshold, now) = (noted.low_balance_micros, noted.now);
            let event = event(organization, &wallet, threshold, now);
            outbound_events::publish(transaction.conn(), &event).await?;
            let figures = (wallet.balance, threshold);
            let notice = Notice::of_low_balance(organization, figures, noted.falls, now);
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
