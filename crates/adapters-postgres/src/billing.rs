//! Wallets, prices and plans.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    country::Country,
    id::Id,
    money::Money,
    organization::Organization,
    pricing::{Plan, PriceList, PricingRule},
    wallet::{Credit, Credited, LedgerKind, Wallet},
};
use ports::{
    billing::{PricingRepository, WalletRepository},
    store::StoreError,
};
use uuid::Uuid;

use crate::{
    connection::Connection,
    error::{corrupt, store_error},
    schema::{plans, pricing_rules},
    session::PgStore,
    statement::Statement,
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
        Statement::<Open>::new(&[OPEN])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<BigInt, _>(credit.micros())
            .bind::<Timestamptz, _>(now)
            .bind::<SqlUuid, _>(Id::<Wallet>::new_in(now, organization).uuid())
            .bind::<Text, _>(LedgerKind::TrialCredit.as_str())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn credit(&self, credit: &Credit) -> Result<Credited, StoreError> {
        credit_wallet(self.session().await?.conn(), credit).await
    }

    async fn find(&self, organization: Id<Organization>) -> Result<Option<Wallet>, StoreError> {
        let query = Statement::<FindWallet, (BigInt, Timestamptz)>::new(&[FIND_WALLET])
            .bind::<SqlUuid, _>(organization.uuid());
        let row: Option<(i64, DateTime<Utc>)> =
            query.get_result(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row
            .map(|(micros, updated_at)| Wallet { balance: Money::from_micros(micros), updated_at }))
    }
}

/// Credits a wallet, in the transaction of what it is credited for.
pub(crate) async fn credit_wallet(
    conn: &mut Connection,
    credit: &Credit,
) -> Result<Credited, StoreError> {
    let statement = Statement::<CreditWallet, (Bool, BigInt)>::new(&[CREDIT_WALLET])
        .bind::<SqlUuid, _>(credit.organization.uuid())
        .bind::<SqlUuid, _>(credit.id.uuid())
        .bind::<Text, _>(credit.kind.as_str())
        .bind::<Text, _>(&credit.reference)
        .bind::<BigInt, _>(credit.amount.micros())
        .bind::<Timestamptz, _>(credit.at);
    let (is_new, micros): (bool, i64) = statement.get_result(conn).await.map_err(store_error)?;
    Ok(Credited { is_new, balance: Money::from_micros(micros) })
}

struct CreditWallet;
const CREDIT_WALLET: &str = "SELECT is_new, balance_micros FROM credit_wallet(?, ?, ?, ?, ?, ?)";

struct Open;
/// Whether there is a wallet decides whether the credit is given.
const OPEN: &str = "\
    WITH opened AS ( \
        INSERT INTO wallets (organization_id, balance_micros, updated_at) VALUES (?, ?, ?) \
        ON CONFLICT (organization_id) DO NOTHING \
        RETURNING organization_id, balance_micros, updated_at \
    ) \
    INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
    SELECT ?, organization_id, ?, balance_micros, updated_at FROM opened WHERE balance_micros > 0";

struct FindWallet;
const FIND_WALLET: &str = "SELECT balance_micros, updated_at FROM wallet_balance_of(?)";

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
