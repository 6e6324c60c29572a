//! Shared knowledge of all instances about providers.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_types::{
    Array, BigInt, Bool, Integer, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use domain::{
    providers::{
        provider::Provider,
        provider_state::{Demotion, ProviderState, ReportCounts},
    },
    shared::id::Id,
};
use ports::{
    providers::provider::{
        DeclaredProvider, HealthEvent, HealthEventKind, ProviderRecord, ProviderRegistry,
        ReportStats,
    },
    shared::store::StoreError,
};
use serde_json::{Value, json};
use uuid::Uuid;

use self::state::StateRow;
use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

mod state;

/// Maximum number of health events of a provider shown.
const HISTORY: i64 = 100;
/// Recent minutes whose messages should have been reported on by now. A minute is named by its
/// beginning: the last messages of the last one are a minute old.
const RECENT: (TimeDelta, TimeDelta) = (TimeDelta::minutes(7), TimeDelta::minutes(2));
/// Beginning and end of the period that defines the usual rate.
const USUAL: (TimeDelta, TimeDelta) = (TimeDelta::hours(24), TimeDelta::minutes(15));

type EventRow =
    (Option<String>, Option<String>, Option<String>, Option<i32>, Option<DateTime<Utc>>);
type ProviderRow = (Uuid, String, String, String, bool, Value, StateRow, EventRow);
type EventTypes =
    (Nullable<Text>, Nullable<Text>, Nullable<Text>, Nullable<Integer>, Nullable<Timestamptz>);
type StateTypes = (Nullable<Text>, Nullable<Timestamptz>, Nullable<SmallInt>, Nullable<SmallInt>);
type ProviderTypes = (SqlUuid, Text, Text, Text, Bool, Jsonb, StateTypes, EventTypes);

#[async_trait]
impl ProviderRegistry for PgStore {
    async fn declare(&self, providers: &[Provider], now: DateTime<Utc>) -> Result<(), StoreError> {
        let ids = providers.iter().map(|_| Id::<Provider>::new(now).uuid());
        let column = |of: fn(&Provider) -> &str| providers.iter().map(of).collect::<Vec<_>>();
        let routes: Vec<Value> = providers.iter().map(routes).collect();
        let mut session = self.transaction().await?;
        Statement::new(&[RETIRE])
            .bind::<Array<Text>, _>(column(|it| &it.name))
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Statement::new(&[DECLARE])
            .bind::<Timestamptz, _>(now)
            .bind::<Array<SqlUuid>, _>(ids.collect::<Vec<_>>())
            .bind::<Array<Text>, _>(column(|it| &it.name))
            .bind::<Array<Text>, _>(column(|it| it.kind))
            .bind::<Array<Text>, _>(column(|it| it.channel.as_str()))
            .bind::<Array<Jsonb>, _>(routes)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        session.commit().await
    }

    async fn list(&self) -> Result<Vec<ProviderRecord>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<ProviderRow> = Statement::<ProviderTypes>::returning(&[LIST])
            .load(session.conn())
            .await
            .map_err(store_error)?;
        rows.into_iter().map(record).collect()
    }

    async fn history(&self, id: Id<Provider>) -> Result<Vec<HealthEvent>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<EventRow> = Statement::<EventTypes>::returning(&[HISTORY_OF])
            .bind::<SqlUuid, _>(id.uuid())
            .bind::<BigInt, _>(HISTORY)
            .load(session.conn())
            .await
            .map_err(store_error)?;
        Ok(rows.into_iter().filter_map(event).collect())
    }

    async fn changes(
        &self,
        id: Id<Provider>,
        since: DateTime<Utc>,
    ) -> Result<Vec<HealthEvent>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<EventRow> = Statement::<EventTypes>::returning(&[CHANGES_OF])
            .bind::<SqlUuid, _>(id.uuid())
            .bind::<SqlUuid, _>(Id::<HealthEvent>::floor(since).uuid())
            .bind::<BigInt, _>(HISTORY)
            .load(session.conn())
            .await
            .map_err(store_error)?;
        Ok(rows.into_iter().filter_map(event).collect())
    }

    async fn note_check(&self, id: Id<Provider>, event: &HealthEvent) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::new(&[NOTE_BY_ID])
            .bind::<SqlUuid, _>(Id::<HealthEvent>::new(event.at).uuid())
            .bind::<Text, _>(event.kind.as_str())
            .bind::<Text, _>(event.status.as_str())
            .bind::<Text, _>(event.message.as_str())
            .bind::<Nullable<Integer>, _>(latency(event))
            .bind::<Timestamptz, _>(event.at)
            .bind::<SqlUuid, _>(id.uuid())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn states(&self) -> Result<Vec<(String, ProviderState)>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<(String, StateRow)> = Statement::<(Text, StateTypes)>::returning(&[STATES])
            .load(session.conn())
            .await
            .map_err(store_error)?;
        let state = |(name, row): (String, StateRow)| match state::read(&row) {
            Some(state) => Ok((name, state)),
            None => Err(corrupt("provider_states", name)),
        };
        rows.into_iter().map(state).collect()
    }

    async fn note_breaker(
        &self,
        name: &str,
        state: ProviderState,
        event: &HealthEvent,
    ) -> Result<(), StoreError> {
        let mut session = self.transaction().await?;
        let (breaker, until, times) = state::columns(state.breaker);
        Statement::new(&[PUT_BREAKER])
            .bind::<Text, _>(name)
            .bind::<Text, _>(breaker)
            .bind::<Nullable<Timestamptz>, _>(until)
            .bind::<SmallInt, _>(times)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        note(session.conn(), name, event).await?;
        session.commit().await
    }

    async fn begin_probe(
        &self,
        name: &str,
        state: ProviderState,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let (_, until, _) = state::columns(state.breaker);
        let mut session = self.session().await?;
        let taken = Statement::new(&[PROBE])
            .bind::<Nullable<Timestamptz>, _>(until)
            .bind::<Text, _>(name)
            .bind::<Timestamptz, _>(now)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(taken > 0)
    }

    async fn report_stats(&self, now: DateTime<Utc>) -> Result<Vec<ReportStats>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<(String, i16, i64, i64, i64, i64)> =
            Statement::<(Text, SmallInt, BigInt, BigInt, BigInt, BigInt)>::returning(&[
                REPORT_COUNTS,
            ])
            .bind::<Timestamptz, _>(now - RECENT.0)
            .bind::<Timestamptz, _>(now - RECENT.1)
            .bind::<Timestamptz, _>(now - USUAL.0)
            .bind::<Timestamptz, _>(now - USUAL.1)
            .load(session.conn())
            .await
            .map_err(store_error)?;
        let stats =
            |(name, demotion, recent_taken, recent_reported, taken, reported)| ReportStats {
                name,
                demotion: u16::try_from(demotion).unwrap_or_default(),
                recent: report_counts(recent_taken, recent_reported),
                normal: report_counts(taken, reported),
            };
        Ok(rows.into_iter().map(stats).collect())
    }

    async fn demote(
        &self,
        name: &str,
        demotion: &Demotion,
        pause: TimeDelta,
        event: &HealthEvent,
    ) -> Result<(), StoreError> {
        let mut session = self.transaction().await?;
        let moved = Statement::new(&[DEMOTE])
            .bind::<Text, _>(name)
            .bind::<SmallInt, _>(i16::try_from(demotion.to).unwrap_or(i16::MAX))
            .bind::<Timestamptz, _>(event.at)
            .bind::<Timestamptz, _>(event.at - pause)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        if moved > 0 {
            note(session.conn(), name, event).await?;
        }
        session.commit().await
    }
}

/// Stores an event of a provider, if the provider is declared.
async fn note(conn: &mut Connection, name: &str, event: &HealthEvent) -> Result<(), StoreError> {
    Statement::new(&[NOTE_BY_NAME])
        .bind::<SqlUuid, _>(Id::<HealthEvent>::new(event.at).uuid())
        .bind::<Text, _>(event.kind.as_str())
        .bind::<Text, _>(event.status.as_str())
        .bind::<Text, _>(event.message.as_str())
        .bind::<Nullable<Integer>, _>(latency(event))
        .bind::<Timestamptz, _>(event.at)
        .bind::<Text, _>(name)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

fn latency(event: &HealthEvent) -> Option<i32> {
    event.latency.and_then(|latency| i32::try_from(latency.num_milliseconds()).ok())
}

fn report_counts(taken: i64, reported: i64) -> ReportCounts {
    let count = |number: i64| u64::try_from(number).unwrap_or_default();
    ReportCounts { taken: count(taken), unreported: count(taken - reported) }
}

fn routes(provider: &Provider) -> Value {
    let route = |route: &domain::providers::provider::Route| {
        let country = route.country.map_or_else(|| "*".to_owned(), |country| country.to_string());
        json!([country, route.priority])
    };
    provider.routes.iter().map(route).collect()
}

fn record(row: ProviderRow) -> Result<ProviderRecord, StoreError> {
    let (id, name, kind, channel, is_active, routes, state, last_check) = row;
    let routes = serde_json::from_value(routes).map_err(|_| corrupt("providers", id))?;
    Ok(ProviderRecord {
        id: Id::of(id),
        provider: DeclaredProvider { name, kind, channel, routes },
        is_active,
        state: state::read(&state).ok_or_else(|| corrupt("provider_states", id))?,
        last_check: event(last_check),
    })
}

fn event((kind, status, message, latency, at): EventRow) -> Option<HealthEvent> {
    let kind = match kind?.as_str() {
        "CHECK" => HealthEventKind::Check,
        "BREAKER" => HealthEventKind::Breaker,
        _ => HealthEventKind::Demotion,
    };
    let latency = latency.map(|millis| TimeDelta::milliseconds(millis.into()));
    Some(HealthEvent { kind, status: status?, message: message?, latency, at: at? })
}

const RETIRE: &str = "UPDATE providers SET is_active = false WHERE is_active AND name <> ALL(?)";

const DECLARE: &str = "\
    INSERT INTO providers (declared_at, is_active, id, name, kind, channel, routes) \
    SELECT ?, true, * FROM UNNEST(?, ?, ?, ?, ?) \
    ON CONFLICT (name) DO UPDATE SET kind = EXCLUDED.kind, channel = EXCLUDED.channel, \
        routes = EXCLUDED.routes, is_active = true, declared_at = EXCLUDED.declared_at";

const LIST: &str = "\
    SELECT provider.id, provider.name, provider.kind, provider.channel, provider.is_active, \
        provider.routes, standing.breaker, standing.breaker_until, standing.breaker_times, \
        standing.demotion, latest.event, latest.status, latest.message, latest.latency_ms, latest.at \
    FROM providers provider \
    LEFT JOIN provider_states standing ON standing.name = provider.name \
    LEFT JOIN LATERAL ( \
        SELECT * FROM provider_health event \
        WHERE event.provider_id = provider.id AND event.event = 'CHECK' \
        ORDER BY event.id DESC LIMIT 1) AS latest ON true \
    ORDER BY provider.name";

const HISTORY_OF: &str = "\
    SELECT event, status, message, latency_ms, at FROM provider_health \
    WHERE provider_id = ? ORDER BY id DESC LIMIT ?";

const CHANGES_OF: &str = "\
    SELECT event, status, message, latency_ms, at FROM ( \
        SELECT *, lag(status) OVER (PARTITION BY event ORDER BY id) AS status_before \
        FROM provider_health WHERE provider_id = ? AND id >= ? \
    ) AS noted \
    WHERE event <> 'CHECK' OR status_before IS DISTINCT FROM status ORDER BY id DESC LIMIT ?";

const NOTE_BY_ID: &str = "\
    INSERT INTO provider_health (id, event, status, message, latency_ms, at, provider_id) \
    VALUES (?, ?, ?, ?, ?, ?, ?)";

const NOTE_BY_NAME: &str = "\
    INSERT INTO provider_health (id, event, status, message, latency_ms, at, provider_id) \
    SELECT ?, ?, ?, ?, ?, ?, id FROM providers WHERE name = ?";

const STATES: &str = "\
    SELECT name, breaker, breaker_until, breaker_times, demotion FROM provider_states \
    WHERE breaker <> 'CLOSED' OR demotion > 0";

const PUT_BREAKER: &str = "\
    INSERT INTO provider_states (name, breaker, breaker_until, breaker_times) \
    VALUES (?, ?, ?, ?) \
    ON CONFLICT (name) DO UPDATE SET breaker = EXCLUDED.breaker, \
        breaker_until = EXCLUDED.breaker_until, breaker_times = EXCLUDED.breaker_times";

const PROBE: &str = "\
    UPDATE provider_states SET breaker = 'PROBING', breaker_until = ? \
    WHERE name = ? AND breaker <> 'CLOSED' AND breaker_until <= ?";

const REPORT_COUNTS: &str = "\
    WITH recent AS ( \
        SELECT provider, sum(taken) AS taken, sum(reported) AS reported FROM provider_minutes, \
            (SELECT ?::timestamptz AS since, ?::timestamptz AS until) AS span \
        WHERE minute >= since AND minute < until GROUP BY provider \
    ), usual AS ( \
        SELECT provider, sum(taken) AS taken, sum(reported) AS reported FROM provider_minutes \
        WHERE minute >= ? AND minute < ? GROUP BY provider \
    ) \
    SELECT provider.name, coalesce(standing.demotion, 0)::smallint, \
        coalesce(recent.taken, 0)::bigint, coalesce(recent.reported, 0)::bigint, \
        coalesce(usual.taken, 0)::bigint, coalesce(usual.reported, 0)::bigint \
    FROM providers provider \
    LEFT JOIN provider_states standing ON standing.name = provider.name \
    LEFT JOIN recent ON recent.provider = provider.name \
    LEFT JOIN usual ON usual.provider = provider.name \
    WHERE provider.is_active";

const DEMOTE: &str = "\
    INSERT INTO provider_states AS standing (name, breaker, demotion, demoted_at) \
    VALUES (?, 'CLOSED', ?, ?) \
    ON CONFLICT (name) DO UPDATE SET demotion = EXCLUDED.demotion, demoted_at = EXCLUDED.demoted_at \
    WHERE standing.demoted_at IS NULL OR standing.demoted_at < ?";
