//! Prices and plans.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    money::pricing::{Plan, PriceList, PricingFilter, PricingRule, Version},
    shared::{
        country::Country,
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use ports::{money::pricing::PricingRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, search::one_more, sql::sql},
    schema::{plans, pricing_rules},
};

/// Maximum number of rules or plans counted and shown.
const MOST_LISTED: usize = 10_000;

#[derive(HasQuery, Insertable)]
#[diesel(table_name = pricing_rules)]
struct PricingRuleRow {
    id: Uuid,
    organization_id: Option<Uuid>,
    channel: String,
    country_code: Option<String>,
    unit_price_micros: i64,
    is_active: bool,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

#[derive(HasQuery, Insertable)]
#[diesel(table_name = plans)]
struct PlanRow {
    id: Uuid,
    name: String,
    monthly_fee_micros: i64,
    included_messages: i32,
    features: Vec<String>,
    is_active: bool,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

#[async_trait]
impl PricingRepository for PgStore {
    async fn price_list(&self) -> Result<PriceList, StoreError> {
        let mut session = self.session().await?;
        // The version is read first: newer rules are read once more.
        let version = version(session.conn()).await?;
        let query = PricingRuleRow::query().filter(pricing_rules::is_active).order((
            pricing_rules::channel,
            pricing_rules::country_code,
            pricing_rules::id,
        ));
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        let rules: Result<Vec<_>, _> = rows.into_iter().map(PricingRule::try_from).collect();
        Ok(PriceList::new(version, rules?))
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        let query = PlanRow::query()
            .filter(plans::is_active)
            .order((plans::monthly_fee_micros, plans::name));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(Plan::from).collect())
    }

    async fn rules_page(
        &self,
        filter: &PricingFilter,
        page: Page,
    ) -> Result<Paged<Version<PricingRule>>, StoreError> {
        let newest = (pricing_rules::created_at.desc(), pricing_rules::id.desc());
        let mut matching = pricing_rules::table.into_boxed();
        if let Some(organization) = filter.organization {
            matching = matching.filter(pricing_rules::organization_id.eq(organization.uuid()));
        }
        if let Some(channel) = filter.channel {
            matching = matching.filter(pricing_rules::channel.eq(channel.as_str()));
        }
        if let Some(is_active) = filter.is_active {
            matching = matching.filter(pricing_rules::is_active.eq(is_active));
        }
        let ids = matching.select(pricing_rules::id).order(newest).limit(one_more(MOST_LISTED));
        let mut session = self.session().await?;
        let ids: Vec<Uuid> = ids.load(session.conn()).await.map_err(store_error)?;
        let found = ids.len() as u64;
        let shown = pricing_rules::id.eq_any(page.cut(ids));
        let rows = PricingRuleRow::query().filter(shown).order(newest);
        let rows = rows.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(Version::try_from).collect();
        Ok(Paged::counted_up_to(MOST_LISTED as u64, items?, page, found))
    }

    async fn find_rule(
        &self,
        id: Id<PricingRule>,
    ) -> Result<Option<Version<PricingRule>>, StoreError> {
        let query = PricingRuleRow::query().filter(pricing_rules::id.eq(id.uuid()));
        let found = query.first(self.session().await?.conn()).await;
        let row: Option<PricingRuleRow> = found.optional().map_err(store_error)?;
        row.map(Version::try_from).transpose()
    }

    async fn begin_rule(
        &self,
        rule: &PricingRule,
        replaced: Option<Id<PricingRule>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut session = self.transaction().await?;
        if let Some(replaced) = replaced
            && !end_rule(session.conn(), replaced, now).await?
        {
            return Ok(false);
        }
        let row = PricingRuleRow {
            id: rule.id.uuid(),
            organization_id: rule.organization.map(Id::uuid),
            channel: rule.channel.as_str().to_owned(),
            country_code: rule.country.as_ref().map(Country::to_string),
            unit_price_micros: rule.unit_price.micros(),
            is_active: true,
            created_at: now,
            ended_at: None,
        };
        let insert = diesel::insert_into(pricing_rules::table).values(&row);
        insert.execute(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(true)
    }

    async fn end_rule(&self, id: Id<PricingRule>, now: DateTime<Utc>) -> Result<bool, StoreError> {
        end_rule(self.session().await?.conn(), id, now).await
    }

    async fn plans_page(
        &self,
        is_active: Option<bool>,
        page: Page,
    ) -> Result<Paged<Version<Plan>>, StoreError> {
        let newest = (plans::created_at.desc(), plans::id.desc());
        let mut matching = plans::table.into_boxed();
        if let Some(is_active) = is_active {
            matching = matching.filter(plans::is_active.eq(is_active));
        }
        let ids = matching.select(plans::id).order(newest).limit(one_more(MOST_LISTED));
        let mut session = self.session().await?;
        let ids: Vec<Uuid> = ids.load(session.conn()).await.map_err(store_error)?;
        let found = ids.len() as u64;
        let rows = PlanRow::query().filter(plans::id.eq_any(page.cut(ids))).order(newest);
        let rows = rows.load(session.conn()).await.map_err(store_error)?;
        let items = rows.into_iter().map(Version::from).collect();
        Ok(Paged::counted_up_to(MOST_LISTED as u64, items, page, found))
    }

    async fn find_plan(&self, id: Id<Plan>) -> Result<Option<Version<Plan>>, StoreError> {
        let query = PlanRow::query().filter(plans::id.eq(id.uuid()));
        let found = query.first(self.session().await?.conn()).await;
        let row: Option<PlanRow> = found.optional().map_err(store_error)?;
        Ok(row.map(Version::from))
    }

    async fn begin_plan(
        &self,
        plan: &Plan,
        replaced: Option<Id<Plan>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut session = self.transaction().await?;
        if let Some(replaced) = replaced
            && !end_plan(session.conn(), replaced, now).await?
        {
            return Ok(false);
        }
        let row = PlanRow {
            id: plan.id.uuid(),
            name: plan.name.clone(),
            monthly_fee_micros: plan.monthly_fee.micros(),
            included_messages: plan.included_messages,
            features: plan.features.clone(),
            is_active: true,
            created_at: now,
            ended_at: None,
        };
        let insert = diesel::insert_into(plans::table).values(&row);
        insert.execute(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(true)
    }

    async fn end_plan(&self, id: Id<Plan>, now: DateTime<Utc>) -> Result<bool, StoreError> {
        end_plan(self.session().await?.conn(), id, now).await
    }
}

async fn version(conn: &mut Connection) -> Result<i64, StoreError> {
    sql!("SELECT version FROM pricing_version WHERE id = 1").only(conn).await
}

/// Ends a rule; returns false if it had ended already.
async fn end_rule(
    conn: &mut Connection,
    id: Id<PricingRule>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let active = pricing_rules::table.find(id.uuid()).filter(pricing_rules::is_active);
    let end = diesel::update(active)
        .set((pricing_rules::is_active.eq(false), pricing_rules::ended_at.eq(now)));
    Ok(end.execute(conn).await.map_err(store_error)? > 0)
}

/// Ends a plan; returns false if it had ended already.
async fn end_plan(
    conn: &mut Connection,
    id: Id<Plan>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let active = plans::table.find(id.uuid()).filter(plans::is_active);
    let end = diesel::update(active).set((plans::is_active.eq(false), plans::ended_at.eq(now)));
    Ok(end.execute(conn).await.map_err(store_error)? > 0)
}

/// Returns the end of a rule or plan. One that was ended by hand has no time, and ended at some
/// time after it began.
fn end(
    is_active: bool,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    if is_active { None } else { ended_at.or(Some(created_at)) }
}

impl TryFrom<PricingRuleRow> for Version<PricingRule> {
    type Error = StoreError;

    fn try_from(row: PricingRuleRow) -> Result<Self, StoreError> {
        let created_at = row.created_at;
        let ended_at = end(row.is_active, created_at, row.ended_at);
        Ok(Self { value: row.try_into()?, created_at, ended_at })
    }
}

impl From<PlanRow> for Version<Plan> {
    fn from(row: PlanRow) -> Self {
        let created_at = row.created_at;
        let ended_at = end(row.is_active, created_at, row.ended_at);
        Self { value: row.into(), created_at, ended_at }
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
