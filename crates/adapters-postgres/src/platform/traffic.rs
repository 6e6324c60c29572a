//! Traffic of messages, and the alerts derived from it.

mod alert_row;
mod counts;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{dsl::count_star, prelude::*};
use domain::{
    identity::{
        organization::Organization,
        traffic::{
            CodeShare, Evidence, OperatorRange, REMEMBERED_DAYS, SUSPECT_CODES, SUSPECT_PERCENT,
            TrafficAlert, TrafficRules, TrafficStop, USUAL_DAYS, Windows,
        },
    },
    platform::{audit::AuditEntry, notice::Notice},
    shared::{
        country::Country,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    platform::traffic::{
        TrafficAlertRepository, TrafficCounts, TrafficRulesRepository, TrafficWatchStore,
    },
    shared::store::StoreError,
};
use uuid::Uuid;

use self::{
    alert_row::{AlertRow, raise},
    counts::share,
};
use crate::shared::{
    audit_entries,
    database::session::PgStore,
    error::store_error,
    notices,
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::traffic_alerts,
};

row! {
    struct StopRow {
        id: Uuid,
        operator_range: i32,
        stopped_until: DateTime<Utc>,
        codes: i64,
        delivered: i64,
    }
}

row! {
    struct SuspectRow {
        organization_id: Id<Organization>,
        operator_range: i32,
    }
}

#[async_trait]
impl TrafficRulesRepository for PgStore {
    async fn rules(&self, organization: Id<Organization>) -> Result<TrafficRules, StoreError> {
        let mut session = self.session().await?;
        let usual = sql!(
            "SELECT country_code FROM traffic_days \
             WHERE organization_id = {organization} AND day < (now() AT TIME ZONE 'UTC')::date \
                AND day >= (now() AT TIME ZONE 'UTC')::date - {days}::integer \
             GROUP BY country_code HAVING count(*) >= {usual_days}",
            organization,
            days = REMEMBERED_DAYS.cast_signed(),
            usual_days = i64::from(USUAL_DAYS),
        );
        let usual: Vec<String> = usual.values(session.conn()).await?;
        let stops = sql!(
            "SELECT id, operator_range, stopped_until, codes, delivered FROM traffic_alerts \
             WHERE organization_id = {organization} AND stopped_until > now() \
                AND lifted_at IS NULL",
            organization,
        );
        let stops: Vec<StopRow> = stops.rows(session.conn()).await?;
        let country = |code: &String| Country::parse_destination(code).ok();
        Ok(TrafficRules {
            usual: usual.iter().filter_map(country).collect(),
            stops: stops.iter().map(stop).collect(),
        })
    }
}

#[async_trait]
impl TrafficWatchStore for PgStore {
    async fn add(&self, counts: &TrafficCounts) -> Result<(), StoreError> {
        let mut transaction = self.transaction().await?;
        counts::add(&mut transaction, counts).await?;
        transaction.commit().await
    }

    async fn begin_judging(&self) -> Result<bool, StoreError> {
        let begin = sql!(
            "UPDATE traffic_judgements SET judged_at = now() \
             WHERE judged_at < now() - interval '55 seconds'"
        );
        Ok(begin.execute(self.session().await?.conn()).await? > 0)
    }

    async fn suspects(
        &self,
        windows: Windows,
        limit: usize,
    ) -> Result<Vec<(Id<Organization>, OperatorRange)>, StoreError> {
        let suspects = sql!(
            "SELECT organization_id, operator_range FROM traffic_hours WHERE hour >= {since} \
             GROUP BY organization_id, operator_range \
             HAVING sum(codes) >= {codes} AND sum(delivered) * 100 < sum(codes) * {percent} \
             ORDER BY sum(delivered) / sum(codes), organization_id, operator_range LIMIT {most}",
            since = windows.recent_since,
            codes = SUSPECT_CODES.cast_signed(),
            percent = SUSPECT_PERCENT.cast_signed(),
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<SuspectRow> = suspects.rows(self.session().await?.conn()).await?;
        let suspect = |row: SuspectRow| {
            (row.organization_id, OperatorRange::stored(row.operator_range.unsigned_abs()))
        };
        Ok(rows.into_iter().map(suspect).collect())
    }

    async fn evidence(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
        windows: Windows,
    ) -> Result<Evidence, StoreError> {
        let mut session = self.session().await?;
        let (recent, normal) = counts::own(&mut session, (organization, range), windows).await?;
        let (all, all_normal) = counts::all(&mut session, range, windows).await?;
        let others = counts::others(&mut session, (organization, range), windows).await?;
        let without = |all: CodeShare, own: CodeShare| CodeShare {
            codes: all.codes.saturating_sub(own.codes),
            delivered: all.delivered.saturating_sub(own.delivered),
        };
        Ok(Evidence {
            recent,
            normal,
            others: without(all, recent),
            others_normal: without(all_normal, normal),
            other_organizations: others,
        })
    }

    async fn last_alert(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
    ) -> Result<Option<TrafficAlert>, StoreError> {
        let query = AlertRow::query()
            .filter(traffic_alerts::organization_id.eq(organization.uuid()))
            .filter(traffic_alerts::operator_range.eq(range.digits().cast_signed()))
            .order(traffic_alerts::day.desc());
        let mut session = self.session().await?;
        let row = query.first(session.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(TrafficAlert::from))
    }

    async fn raise(&self, alert: &TrafficAlert) -> Result<(), StoreError> {
        let mut transaction = self.transaction().await?;
        let stored = raise(transaction.conn(), alert).await?;
        notices::insert(transaction.conn(), &Notice::of_alert(&stored)).await?;
        transaction.commit().await
    }
}

#[async_trait]
impl TrafficAlertRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<TrafficAlert>, StoreError> {
        let mut session = self.session().await?;
        let own = traffic_alerts::organization_id.eq(organization.uuid());
        let count = traffic_alerts::table.filter(own).select(count_star());
        let total: i64 = count.first(session.conn()).await.map_err(store_error)?;
        let query = AlertRow::query()
            .filter(own)
            .order(traffic_alerts::id.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into());
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        let alerts = rows.into_iter().map(TrafficAlert::from).collect();
        Ok(Paged::counted(alerts, page, total.unsigned_abs()))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<TrafficAlert>,
    ) -> Result<Option<TrafficAlert>, StoreError> {
        let query = AlertRow::query()
            .filter(traffic_alerts::organization_id.eq(organization.uuid()))
            .filter(traffic_alerts::id.eq(id.uuid()));
        let mut session = self.session().await?;
        let row = query.first(session.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(TrafficAlert::from))
    }

    async fn lift(&self, alert: &TrafficAlert, entry: &AuditEntry) -> Result<bool, StoreError> {
        let mut transaction = self.transaction().await?;
        let own = traffic_alerts::table.find((alert.organization.uuid(), alert.id.uuid()));
        let update = diesel::update(own.filter(traffic_alerts::lifted_at.is_null())).set((
            traffic_alerts::lifted_at.eq(alert.lifted_at),
            traffic_alerts::lifted_by.eq(alert.lifted_by.map(Id::uuid)),
        ));
        if update.execute(transaction.conn()).await.map_err(store_error)? == 0 {
            return Ok(false);
        }
        audit_entries::insert(transaction.conn(), entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

fn stop(row: &StopRow) -> TrafficStop {
    TrafficStop {
        alert: Id::of(row.id),
        range: OperatorRange::stored(row.operator_range.unsigned_abs()),
        until: row.stopped_until,
        recent: share(row.codes, row.delivered),
    }
}
