//! Traffic of messages, and the alerts derived from it.

mod alert_row;
mod counts;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{count_star, now},
    prelude::*,
    sql_types::{BigInt, Integer, Text, Timestamptz, Uuid as SqlUuid},
};
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
    query::{run_query::RunQueryDsl, statement::Statement},
    schema::traffic_alerts,
};

#[async_trait]
impl TrafficRulesRepository for PgStore {
    async fn rules(&self, organization: Id<Organization>) -> Result<TrafficRules, StoreError> {
        let mut session = self.session().await?;
        let usual = Statement::<Text>::returning(&[USUAL])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Integer, _>(REMEMBERED_DAYS.cast_signed())
            .bind::<BigInt, _>(i64::from(USUAL_DAYS));
        let usual: Vec<String> = usual.load(session.conn()).await.map_err(store_error)?;
        let stops =
            Statement::<StopColumns>::returning(&[STOPS]).bind::<SqlUuid, _>(organization.uuid());
        let stops: Vec<StopRow> = stops.load(session.conn()).await.map_err(store_error)?;
        let country = |code: &String| Country::parse_destination(code).ok();
        Ok(TrafficRules {
            usual: usual.iter().filter_map(country).collect(),
            stops: stops.into_iter().map(stop).collect(),
        })
    }

    async fn changed_lately(&self) -> Result<Vec<Id<Organization>>, StoreError> {
        let mut session = self.session().await?;
        let query = Statement::<SqlUuid>::returning(&[CHANGED_LATELY]);
        let ids: Vec<Uuid> = query.load(session.conn()).await.map_err(store_error)?;
        Ok(ids.into_iter().map(Id::of).collect())
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
        let mut session = self.session().await?;
        let begun = Statement::new(&[BEGIN_JUDGING]).execute(session.conn()).await;
        Ok(begun.map_err(store_error)? > 0)
    }

    async fn suspects(
        &self,
        windows: Windows,
        limit: usize,
    ) -> Result<Vec<(Id<Organization>, OperatorRange)>, StoreError> {
        let mut session = self.session().await?;
        let suspects = Statement::<(SqlUuid, Integer)>::returning(&[SUSPECTS])
            .bind::<Timestamptz, _>(windows.recent_since)
            .bind::<BigInt, _>(SUSPECT_CODES.cast_signed())
            .bind::<BigInt, _>(SUSPECT_PERCENT.cast_signed())
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let suspects: Vec<(Uuid, i32)> =
            suspects.load(session.conn()).await.map_err(store_error)?;
        let suspect = |(organization, range): (Uuid, i32)| {
            (Id::of(organization), OperatorRange::stored(range.unsigned_abs()))
        };
        Ok(suspects.into_iter().map(suspect).collect())
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
            traffic_alerts::changed_at.eq(now),
        ));
        if update.execute(transaction.conn()).await.map_err(store_error)? == 0 {
            return Ok(false);
        }
        audit_entries::insert(transaction.conn(), entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

type StopColumns = (SqlUuid, Integer, Timestamptz, BigInt, BigInt);
type StopRow = (Uuid, i32, DateTime<Utc>, i64, i64);

fn stop((alert, range, until, codes, delivered): StopRow) -> TrafficStop {
    TrafficStop {
        alert: Id::of(alert),
        range: OperatorRange::stored(range.unsigned_abs()),
        until,
        recent: share(codes, delivered),
    }
}

const USUAL: &str = "\
    SELECT country_code FROM traffic_days \
    WHERE organization_id = ? AND day < (now() AT TIME ZONE 'UTC')::date \
        AND day >= (now() AT TIME ZONE 'UTC')::date - ? \
    GROUP BY country_code HAVING count(*) >= ?";

const STOPS: &str = "\
    SELECT id, operator_range, stopped_until, codes, delivered FROM traffic_alerts \
    WHERE organization_id = ? AND stopped_until > now() AND lifted_at IS NULL";

const CHANGED_LATELY: &str = "\
    SELECT DISTINCT organization_id FROM traffic_alerts \
    WHERE changed_at > now() - interval '1 minute'";

const BEGIN_JUDGING: &str = "\
    UPDATE traffic_judgements SET judged_at = now() \
    WHERE judged_at < now() - interval '55 seconds'";

const SUSPECTS: &str = "\
    SELECT organization_id, operator_range FROM traffic_hours WHERE hour >= ? \
    GROUP BY organization_id, operator_range \
    HAVING sum(codes) >= ? AND sum(delivered) * 100 < sum(codes) * ? \
    ORDER BY sum(delivered) / sum(codes), organization_id, operator_range LIMIT ?";
