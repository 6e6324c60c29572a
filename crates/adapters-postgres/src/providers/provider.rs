//! Shared knowledge of all instances about providers.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
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

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::corrupt,
    query::{row::row, sql::sql},
};

mod state;

/// Maximum number of health events of a provider shown.
const HISTORY: i64 = 100;
/// Recent minutes whose messages should have been reported on by now. A minute is named by its
/// beginning: the last messages of the last one are a minute old.
const RECENT: (TimeDelta, TimeDelta) = (TimeDelta::minutes(7), TimeDelta::minutes(2));
/// Beginning and end of the period that defines the usual rate.
const USUAL: (TimeDelta, TimeDelta) = (TimeDelta::hours(24), TimeDelta::minutes(15));

row! {
    struct EventRow {
        event: String,
        status: String,
        message: String,
        latency_ms: Option<i32>,
        at: DateTime<Utc>,
    }
}

row! {
    struct ProviderRow {
        id: Id<Provider>,
        name: String,
        kind: String,
        channel: String,
        is_active: bool,
        routes: Value,
        breaker: Option<String>,
        breaker_until: Option<DateTime<Utc>>,
        breaker_times: Option<i16>,
        demotion: Option<i16>,
        check_status: Option<String>,
        check_message: Option<String>,
        check_latency_ms: Option<i32>,
        checked_at: Option<DateTime<Utc>>,
    }
}

row! {
    struct StateRow {
        name: String,
        breaker: String,
        breaker_until: Option<DateTime<Utc>>,
        breaker_times: i16,
        demotion: i16,
    }
}

row! {
    struct StatsRow {
        name: String,
        demotion: i16,
        recent_taken: i64,
        recent_reported: i64,
        taken: i64,
        reported: i64,
    }
}

#[async_trait]
impl ProviderRegistry for PgStore {
    async fn declare(&self, providers: &[Provider], now: DateTime<Utc>) -> Result<(), StoreError> {
        let ids: Vec<_> = providers.iter().map(|_| Id::<Provider>::new(now)).collect();
        let column = |of: fn(&Provider) -> &str| providers.iter().map(of).collect::<Vec<_>>();
        let routes: Vec<Value> = providers.iter().map(routes).collect();
        let mut session = self.transaction().await?;
        let retire = sql!(
            "UPDATE providers SET is_active = false WHERE is_active AND name <> ALL({names})",
            names = column(|it| &it.name),
        );
        retire.execute(session.conn()).await?;
        let declare = sql!(
            DECLARE,
            now,
            ids,
            names = column(|it| &it.name),
            kinds = column(|it| it.kind),
            channels = column(|it| it.channel.as_str()),
            routes,
        );
        declare.execute(session.conn()).await?;
        session.commit().await
    }

    async fn list(&self) -> Result<Vec<ProviderRecord>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<ProviderRow> = sql!(LIST).rows(session.conn()).await?;
        rows.into_iter().map(record).collect()
    }

    async fn history(&self, id: Id<Provider>) -> Result<Vec<HealthEvent>, StoreError> {
        let mut session = self.session().await?;
        let history = sql!(
            "SELECT event, status, message, latency_ms, at FROM provider_health \
             WHERE provider_id = {id} ORDER BY id DESC LIMIT {most}",
            id,
            most = HISTORY,
        );
        let rows: Vec<EventRow> = history.rows(session.conn()).await?;
        Ok(rows.into_iter().map(event).collect())
    }

    async fn changes(
        &self,
        id: Id<Provider>,
        since: DateTime<Utc>,
    ) -> Result<Vec<HealthEvent>, StoreError> {
        let mut session = self.session().await?;
        let first = Id::<HealthEvent>::floor(since);
        let rows: Vec<EventRow> =
            sql!(CHANGES_OF, id, first, most = HISTORY).rows(session.conn()).await?;
        Ok(rows.into_iter().map(event).collect())
    }

    async fn note_check(&self, id: Id<Provider>, event: &HealthEvent) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        let note = sql!(
            "INSERT INTO provider_health (id, event, status, message, latency_ms, at, provider_id) \
             VALUES ({id}, {event}, {status}, {message}, {latency}, {at}, {provider})",
            id = Id::<HealthEvent>::new(event.at),
            event = event.kind.as_str(),
            status = event.status.as_str(),
            message = event.message.as_str(),
            latency = latency(event),
            at = event.at,
            provider = id,
        );
        note.execute(session.conn()).await?;
        Ok(())
    }

    async fn states(&self) -> Result<Vec<(String, ProviderState)>, StoreError> {
        let mut session = self.session().await?;
        let states = sql!(
            "SELECT name, breaker, breaker_until, breaker_times, demotion FROM provider_states \
             WHERE breaker <> 'CLOSED' OR demotion > 0"
        );
        let rows: Vec<StateRow> = states.rows(session.conn()).await?;
        let state = |row: StateRow| match state::read(
            &row.breaker,
            row.breaker_until,
            row.breaker_times,
            row.demotion,
        ) {
            Some(state) => Ok((row.name, state)),
            None => Err(corrupt("provider_states", row.name)),
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
        sql!(PUT_BREAKER, name, breaker, until, times).execute(session.conn()).await?;
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
        let probe = sql!(
            "UPDATE provider_states SET breaker = 'PROBING', breaker_until = {until} \
             WHERE name = {name} AND breaker <> 'CLOSED' AND breaker_until <= {now}",
            until,
            name,
            now,
        );
        Ok(probe.execute(session.conn()).await? > 0)
    }

    async fn report_stats(&self, now: DateTime<Utc>) -> Result<Vec<ReportStats>, StoreError> {
        let mut session = self.session().await?;
        let counts = sql!(
            REPORT_COUNTS,
            recent_from = now - RECENT.0,
            recent_to = now - RECENT.1,
            usual_from = now - USUAL.0,
            usual_to = now - USUAL.1,
        );
        let rows: Vec<StatsRow> = counts.rows(session.conn()).await?;
        let stats = |row: StatsRow| ReportStats {
            name: row.name,
            demotion: u16::try_from(row.demotion).unwrap_or_default(),
            recent: report_counts(row.recent_taken, row.recent_reported),
            normal: report_counts(row.taken, row.reported),
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
        let demote = sql!(
            DEMOTE,
            name,
            demotion = i16::try_from(demotion.to).unwrap_or(i16::MAX),
            at = event.at,
            before = event.at - pause,
        );
        if demote.execute(session.conn()).await? > 0 {
            note(session.conn(), name, event).await?;
        }
        session.commit().await
    }
}

/// Stores an event of a provider, if the provider is declared.
async fn note(conn: &mut Connection, name: &str, event: &HealthEvent) -> Result<(), StoreError> {
    let note = sql!(
        "INSERT INTO provider_health (id, event, status, message, latency_ms, at, provider_id) \
         SELECT {id}::uuid, {event}::text, {status}::text, {message}::text, {latency}::integer, \
            {at}::timestamptz, id \
         FROM providers WHERE name = {name}",
        id = Id::<HealthEvent>::new(event.at),
        event = event.kind.as_str(),
        status = event.status.as_str(),
        message = event.message.as_str(),
        latency = latency(event),
        at = event.at,
        name,
    );
    note.execute(conn).await?;
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
    let ProviderRow { id, name, kind, channel, is_active, .. } = row;
    let routes = serde_json::from_value(row.routes).map_err(|_| corrupt("providers", id.uuid()))?;
    let state = match (row.breaker, row.breaker_times, row.demotion) {
        (Some(breaker), Some(times), Some(demotion)) => {
            state::read(&breaker, row.breaker_until, times, demotion)
                .ok_or_else(|| corrupt("provider_states", id.uuid()))?
        }
        _ => ProviderState::default(),
    };
    let last_check = match (row.check_status, row.check_message, row.checked_at) {
        (Some(status), Some(message), Some(at)) => {
            let latency = row.check_latency_ms.map(|millis| TimeDelta::milliseconds(millis.into()));
            Some(HealthEvent { kind: HealthEventKind::Check, status, message, latency, at })
        }
        _ => None,
    };
    let provider = DeclaredProvider { name, kind, channel, routes };
    Ok(ProviderRecord { id, provider, is_active, state, last_check })
}

fn event(row: EventRow) -> HealthEvent {
    let kind = row.event.parse().unwrap_or(HealthEventKind::Demotion);
    let EventRow { status, message, at, .. } = row;
    let latency = row.latency_ms.map(|millis| TimeDelta::milliseconds(millis.into()));
    HealthEvent { kind, status, message, latency, at }
}

const DECLARE: &str = "\
    INSERT INTO providers (declared_at, is_active, id, name, kind, channel, routes) \
    SELECT {now}::timestamptz, true, * FROM UNNEST({ids}::uuid[], {names}::text[], {kinds}::text[], \
        {channels}::text[], {routes}::jsonb[]) \
    ON CONFLICT (name) DO UPDATE SET kind = EXCLUDED.kind, channel = EXCLUDED.channel, \
        routes = EXCLUDED.routes, is_active = true, declared_at = EXCLUDED.declared_at";

const LIST: &str = "\
    SELECT provider.id, provider.name, provider.kind, provider.channel, provider.is_active, \
        provider.routes, standing.breaker, standing.breaker_until, standing.breaker_times, \
        standing.demotion, latest.status AS check_status, latest.message AS check_message, \
        latest.latency_ms AS check_latency_ms, latest.at AS checked_at \
    FROM providers provider \
    LEFT JOIN provider_states standing ON standing.name = provider.name \
    LEFT JOIN LATERAL ( \
        SELECT * FROM provider_health event \
        WHERE event.provider_id = provider.id AND event.event = 'CHECK' \
        ORDER BY event.id DESC LIMIT 1) AS latest ON true \
    ORDER BY provider.name";

const CHANGES_OF: &str = "\
    SELECT event, status, message, latency_ms, at FROM ( \
        SELECT *, lag(status) OVER (PARTITION BY event ORDER BY id) AS status_before \
        FROM provider_health WHERE provider_id = {id} AND id >= {first} \
    ) AS noted \
    WHERE event <> 'CHECK' OR status_before IS DISTINCT FROM status ORDER BY id DESC \
    LIMIT {most}";

const PUT_BREAKER: &str = "\
    INSERT INTO provider_states (name, breaker, breaker_until, breaker_times) \
    VALUES ({name}, {breaker}, {until}, {times}) \
    ON CONFLICT (name) DO UPDATE SET breaker = EXCLUDED.breaker, \
        breaker_until = EXCLUDED.breaker_until, breaker_times = EXCLUDED.breaker_times";

const REPORT_COUNTS: &str = "\
    WITH recent AS ( \
        SELECT provider, sum(taken) AS taken, sum(reported) AS reported FROM provider_minutes, \
            (SELECT {recent_from}::timestamptz AS since, {recent_to}::timestamptz AS until) AS span \
        WHERE minute >= since AND minute < until GROUP BY provider \
    ), usual AS ( \
        SELECT provider, sum(taken) AS taken, sum(reported) AS reported FROM provider_minutes \
        WHERE minute >= {usual_from} AND minute < {usual_to} GROUP BY provider \
    ) \
    SELECT provider.name, coalesce(standing.demotion, 0)::smallint AS demotion, \
        coalesce(recent.taken, 0)::bigint AS recent_taken, \
        coalesce(recent.reported, 0)::bigint AS recent_reported, \
        coalesce(usual.taken, 0)::bigint AS taken, coalesce(usual.reported, 0)::bigint AS reported \
    FROM providers provider \
    LEFT JOIN provider_states standing ON standing.name = provider.name \
    LEFT JOIN recent ON recent.provider = provider.name \
    LEFT JOIN usual ON usual.provider = provider.name \
    WHERE provider.is_active";

const DEMOTE: &str = "\
    INSERT INTO provider_states AS standing (name, breaker, demotion, demoted_at) \
    VALUES ({name}, 'CLOSED', {demotion}, {at}) \
    ON CONFLICT (name) DO UPDATE SET demotion = EXCLUDED.demotion, demoted_at = EXCLUDED.demoted_at \
    WHERE standing.demoted_at IS NULL OR standing.demoted_at < {before}";
