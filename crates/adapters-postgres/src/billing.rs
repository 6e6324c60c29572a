//! Wallets, prices and plans.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::{
    country::Country,
    id::Id,
    money::Money,
    organization::Organization,
    pricing::{Plan, PriceList, PricingRule},
    wallet::{LedgerKind, Wallet},
};
use ports::{
    billing::{PricingRepository, WalletRepository},
    store::StoreError,
};
use uuid::Uuid;

use crate::{
    connection::Connection,
    error::{corrupt, store_error},
    schema::{ledger_entries, plans, pricing_rules, wallet_balances, wallets},
    session::PgStore,
};

/// Opens the wallet of a new organization with a trial credit.
pub(crate) async fn open_wallet(
    conn: &mut Connection,
    organization: Id<Organization>,
    credit: Money,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let wallet = diesel::insert_into(wallets::table).values((
        wallets::organization_id.eq(organization.uuid()),
        wallets::balance_micros.eq(credit.micros()),
        wallets::updated_at.eq(now),
    ));
    wallet.execute(conn).await.map_err(store_error)?;
    if credit > Money::ZERO {
        let entry = diesel::insert_into(ledger_entries::table).values((
            ledger_entries::id.eq(Id::<Wallet>::new_in(now, organization).uuid()),
            ledger_entries::organization_id.eq(organization.uuid()),
            ledger_entries::kind.eq(LedgerKind::TrialCredit.as_str()),
            ledger_entries::amount_micros.eq(credit.micros()),
            ledger_entries::created_at.eq(now),
        ));
        entry.execute(conn).await.map_err(store_error)?;
    }
    Ok(())
}

#[async_trait]
impl WalletRepository for PgStore {
    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError> {
        let query = wallet_balances::table
            .find(organization.uuid())
            .select((wallet_balances::balance_micros, wallet_balances::updated_at));
        let row: Option<(i64, DateTime<Utc>)> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row
            .map(|(micros, updated_at)| Wallet { balance: Money::from_micros(micros), updated_at }))
    }
}

#[derive(HasQuery)]
#[diesel(table_name = pricing_rules)]
struct PricingRuleRow {
    id: Uuid,
    organization_id: Option<Uuid>,
    channel: String,
    country_code: Option<String>,
    unit_price_micros: i64,
}

#[derive(HasQuery)]
#[diesel(table_name = plans)]
struct PlanRow {
    id: Uuid,
    name: String,
    monthly_fee_micros: i64,
    included_messages: i32,
    features: Vec<String>,
}

#[async_trait]
impl PricingRepository for PgStore {
    async fn price_list(&self) -> Result<PriceList, StoreError> {
        let query = PricingRuleRow::query().filter(pricing_rules::is_active).order((
            pricing_rules::channel,
            pricing_rules::country_code,
            pricing_rules::id,
        ));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let rules: Result<_, _> = rows.into_iter().map(PricingRule::try_from).collect();
        rules.map(PriceList)
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        let query = PlanRow::query()
            .filter(plans::is_active)
            .order((plans::monthly_fee_micros, plans::name));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(Plan::from).collect())
    }
}

impl TryFrom<PricingRuleRow> for PricingRule {
    type Error = StoreError;

    fn try_from(row: PricingRuleRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("pricing_rules", row.id);
        let country = row.country_code.as_deref().map(Country::parse_destination).transpose();
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.map(Id::of),
            channel: row.channel.parse().map_err(|_| corrupt())?,
            country: country.map_err(|_| corrupt())?,
            unit_price: Money::from_micros(row.unit_price_micros),
        })
    }
}

impl From<PlanRow> for Plan {
    fn from(row: PlanRow) -> Self {
        Self {
            id: row.id.into(),
            name: row.name,
            monthly_fee: Money::from_micros(row.monthly_fee_micros),
            included_messages: row.included_messages,
            features: row.features,
        }
    }
}
