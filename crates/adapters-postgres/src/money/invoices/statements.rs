//! Monthly statements: one organization after the other, from the ledger and the counters of days.

use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use diesel::{
    dsl,
    prelude::*,
    sql_types::{Array, BigInt, Bool, Date, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    identity::organization::{Organization, PLATFORM},
    money::{
        invoice::{ChannelLine, Invoice, Month, Movements, Statement as MonthlyStatement},
        wallet::LedgerKind,
    },
    shared::{id::Id, money::Money},
};
use ports::{
    money::invoices::{StatementProgress, StatementRepository, StatementsWritten},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::statement_row::StatementRow;
use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{json::Json, run_query::RunQueryDsl, statement::Statement},
    schema::statement_runs,
};

/// Delay until skipped organizations are tried again.
const AGAIN: TimeDelta = TimeDelta::minutes(10);

#[async_trait]
impl StatementRepository for PgStore {
    async fn last_month(&self) -> Result<Option<Month>, StoreError> {
        let last = statement_runs::table.select(dsl::max(statement_runs::month));
        let last: Option<NaiveDate> =
            last.first(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(last.map(Month::of))
    }

    async fn plan(&self, months: &[Month]) -> Result<(), StoreError> {
        let rows: Vec<_> =
            months.iter().map(|month| statement_runs::month.eq(month.first_day())).collect();
        let insert = diesel::insert_into(statement_runs::table).values(rows);
        let insert = insert.on_conflict_do_nothing();
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn write_some(
        &self,
        now: DateTime<Utc>,
        organizations: usize,
    ) -> Result<Option<StatementsWritten>, StoreError> {
        let mut session = self.transaction().await?;
        let Some(run) = next_run(session.conn(), now).await? else { return Ok(None) };
        let turn = next_organizations(session.conn(), &run, organizations).await?;
        let waiting = waiting(session.conn(), run.month).await?;
        let (left, open): (Vec<_>, Vec<_>) =
            turn.open.iter().copied().partition(|id| waiting.contains(id));
        let statements = statements(session.conn(), run.month, &open).await?;
        insert(session.conn(), now, &statements).await?;
        let has_left = run.has_left || !left.is_empty();
        let progress = match (turn.last, has_left) {
            (Some(_), _) => StatementProgress::GoesOn,
            (None, true) => StatementProgress::SomeLeft,
            (None, false) => StatementProgress::Finished,
        };
        let goes_on = progress == StatementProgress::GoesOn;
        Statement::new(&[MOVE_ON])
            .bind::<Nullable<SqlUuid>, _>(turn.last)
            .bind::<Bool, _>(goes_on && has_left)
            .bind::<Nullable<Timestamptz>, _>((!goes_on).then_some(now + AGAIN))
            .bind::<Nullable<Timestamptz>, _>(
                (progress == StatementProgress::Finished).then_some(now),
            )
            .bind::<Date, _>(run.month.first_day())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        session.commit().await?;
        let (month, statements) = (run.month, statements.len());
        Ok(Some(StatementsWritten { month, statements, progress }))
    }
}

/// Run over a month, with its position.
struct Run {
    month: Month,
    reached: Uuid,
    has_left: bool,
}

/// Organizations that are next.
struct Turn {
    /// Organizations without a statement.
    open: Vec<Uuid>,
    /// Last organization, if others may follow.
    last: Option<Uuid>,
}

/// Organization, and its statement to be written.
type Stated = (Uuid, MonthlyStatement);

/// Returns the month to continue with, unless another instance works on it.
async fn next_run(conn: &mut Connection, now: DateTime<Utc>) -> Result<Option<Run>, StoreError> {
    type Row = (Date, Nullable<SqlUuid>, Bool);
    let found: Option<(NaiveDate, Option<Uuid>, bool)> = Statement::<Row>::returning(&[NEXT_RUN])
        .bind::<Timestamptz, _>(now)
        .get_result(conn)
        .await
        .optional()
        .map_err(store_error)?;
    Ok(found.map(|(month, reached, has_left)| Run {
        month: Month::of(month),
        reached: reached.unwrap_or_default(),
        has_left,
    }))
}

async fn next_organizations(
    conn: &mut Connection,
    run: &Run,
    limit: usize,
) -> Result<Turn, StoreError> {
    let found: Vec<(Uuid, bool)> = Statement::<(SqlUuid, Bool)>::returning(&[NEXT_ORGANIZATIONS])
        .bind::<Date, _>(run.month.first_day())
        .bind::<SqlUuid, _>(run.reached)
        .bind::<SqlUuid, _>(PLATFORM.uuid())
        .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
        .load(conn)
        .await
        .map_err(store_error)?;
    let last = if found.len() < limit { None } else { found.last().map(|(id, _)| *id) };
    let open = found.into_iter().filter(|(_, is_stated)| !is_stated).map(|(id, _)| id).collect();
    Ok(Turn { open, last })
}

/// Returns the organizations whose ledger or counters do not have the whole month yet.
async fn waiting(conn: &mut Connection, month: Month) -> Result<HashSet<Uuid>, StoreError> {
    let waiting: Vec<Uuid> = Statement::<SqlUuid>::returning(&[WAITING])
        .bind::<Timestamptz, _>(month.end())
        .bind::<Timestamptz, _>(month.end())
        .bind::<Timestamptz, _>(month.end())
        .load(conn)
        .await
        .map_err(store_error)?;
    Ok(waiting.into_iter().collect())
}

/// Returns the statements of those of the organizations that had any activity.
async fn statements(
    conn: &mut Connection,
    month: Month,
    organizations: &[Uuid],
) -> Result<Vec<Stated>, StoreError> {
    if organizations.is_empty() {
        return Ok(Vec::new());
    }
    let mut movements = movements(conn, month, organizations).await?;
    let mut lines = channel_lines(conn, month, organizations).await?;
    let openings = openings(conn, month, organizations).await?;
    let statement = |id: &Uuid| {
        let opening = openings.get(id).copied().unwrap_or_default();
        let movements = movements.remove(id).unwrap_or_default();
        let lines = lines.remove(id).unwrap_or_default();
        Some((*id, MonthlyStatement::of(month, opening, movements, lines)?))
    };
    Ok(organizations.iter().filter_map(statement).collect())
}

async fn movements(
    conn: &mut Connection,
    month: Month,
    organizations: &[Uuid],
) -> Result<HashMap<Uuid, Movements>, StoreError> {
    let (from, until) = (floor(month.start()), floor(month.end()));
    let rows: Vec<(Uuid, String, i64)> = Statement::<(SqlUuid, Text, BigInt)>::returning(&[MOVED])
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<SqlUuid, _>(from)
        .bind::<SqlUuid, _>(until)
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<SqlUuid, _>(from)
        .bind::<SqlUuid, _>(until)
        .load(conn)
        .await
        .map_err(store_error)?;
    let mut movements: HashMap<Uuid, Movements> = HashMap::new();
    for (organization, kind, micros) in rows {
        let moved = movements.entry(organization).or_default();
        let amount = Money::from_micros(micros);
        let is = |other: LedgerKind| kind == other.as_str();
        if is(LedgerKind::MessageDebit) {
            moved.debits += -amount;
        } else if is(LedgerKind::MessageRefund) {
            moved.refunds += amount;
        } else if is(LedgerKind::TopUp) {
            moved.top_ups += amount;
        } else if is(LedgerKind::ManualCredit) {
            moved.manual_credits += amount;
        } else if is(LedgerKind::TrialCredit) {
            moved.trial_credits += amount;
        } else {
            moved.adjustments += amount;
        }
    }
    Ok(movements)
}

async fn channel_lines(
    conn: &mut Connection,
    month: Month,
    organizations: &[Uuid],
) -> Result<BTreeMap<Uuid, Vec<ChannelLine>>, StoreError> {
    type Row = (SqlUuid, Text, BigInt, BigInt, BigInt);
    let rows: Vec<(Uuid, String, i64, i64, i64)> = Statement::<Row>::returning(&[CHANNEL_LINES])
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<Timestamptz, _>(month.start())
        .bind::<Timestamptz, _>(month.end())
        .load(conn)
        .await
        .map_err(store_error)?;
    let mut lines: BTreeMap<Uuid, Vec<ChannelLine>> = BTreeMap::new();
    for (organization, channel, messages, segments, cost) in rows {
        let channel =
            channel.parse().map_err(|_| corrupt("delivery_log_counters", organization))?;
        let line = ChannelLine { channel, messages, segments, cost: Money::from_micros(cost) };
        lines.entry(organization).or_default().push(line);
    }
    Ok(lines)
}

/// Returns the balances of the wallets at the beginning of the month.
async fn openings(
    conn: &mut Connection,
    month: Month,
    organizations: &[Uuid],
) -> Result<HashMap<Uuid, Money>, StoreError> {
    let rows: Vec<(Uuid, i64)> = Statement::<(SqlUuid, BigInt)>::returning(&[OPENINGS])
        .bind::<SqlUuid, _>(floor(month.start()))
        .bind::<SqlUuid, _>(floor(month.start()))
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<Date, _>(month.first_day())
        .load(conn)
        .await
        .map_err(store_error)?;
    Ok(rows.into_iter().map(|(id, micros)| (id, Money::from_micros(micros))).collect())
}

/// Inserts statements, each under the next number of its organization.
async fn insert(
    conn: &mut Connection,
    now: DateTime<Utc>,
    statements: &[Stated],
) -> Result<(), StoreError> {
    if statements.is_empty() {
        return Ok(());
    }
    let rows: Vec<StatementRow> = statements.iter().map(|(_, it)| it.into()).collect();
    let id = |(organization, _): &Stated| {
        Id::<Invoice>::new_in(now, Id::<Organization>::of(*organization)).uuid()
    };
    let column = |amount: fn(&MonthlyStatement) -> Money| -> Vec<i64> {
        statements.iter().map(|(_, it)| amount(it).micros()).collect()
    };
    let months: Vec<_> = statements.iter().map(|(_, it)| it.month.first_day()).collect();
    Statement::new(&[INSERT])
        .bind::<Array<SqlUuid>, _>(statements.iter().map(|(id, _)| *id).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(statements.iter().map(id).collect::<Vec<_>>())
        .bind::<Array<Date>, _>(months)
        .bind::<Array<BigInt>, _>(column(MonthlyStatement::spent))
        .bind::<Array<BigInt>, _>(column(MonthlyStatement::closing))
        .bind::<Array<Jsonb>, _>(rows.iter().map(Json).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(now)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

/// Returns the smallest identifier of an entry of that time.
fn floor(time: DateTime<Utc>) -> Uuid {
    Id::<Invoice>::floor(time).uuid()
}

const NEXT_RUN: &str = "\
    SELECT month, reached, has_left FROM statement_runs \
    WHERE pg_try_advisory_xact_lock(hashtext('atumpan statements')) \
        AND finished_at IS NULL AND (due_at IS NULL OR due_at <= ?) \
    ORDER BY month LIMIT 1";

const MOVE_ON: &str = "\
    UPDATE statement_runs SET reached = ?, has_left = ?, due_at = ?, finished_at = ? \
    WHERE month = ?";

const NEXT_ORGANIZATIONS: &str = "\
    SELECT organization_id, EXISTS (SELECT FROM invoices \
        WHERE invoices.organization_id = ANY(ARRAY[wallets.organization_id]) AND month = ?) \
    FROM wallets WHERE organization_id > ? AND organization_id <> ? \
    ORDER BY organization_id LIMIT ?";

const WAITING: &str = "\
    SELECT DISTINCT organization_id FROM ( \
        SELECT unnest(organization_ids || payer_ids || payee_ids) AS organization_id \
        FROM journal WHERE written_at < ? \
        UNION ALL \
        SELECT unnest(organization_ids || payer_ids || payee_ids) \
        FROM journal_rollups WHERE written_at < ? \
        UNION ALL \
        SELECT organization_id FROM ledger_hours WHERE hour < ?) AS waiting";

/// Credits that are not entered yet are part of the ledger as well.
const MOVED: &str = "\
    SELECT organization_id, kind, sum(amount_micros)::bigint FROM ( \
        SELECT organization_id, kind, amount_micros FROM ledger_entries \
        WHERE organization_id = ANY(?) AND id >= ? AND id < ? \
        UNION ALL \
        SELECT organization_id, kind, amount_micros FROM wallet_credits \
        WHERE organization_id = ANY(?) AND id >= ? AND id < ? AND NOT is_entered) AS entry \
    GROUP BY 1, 2";

/// Closing balance of the last statement, plus the entries since. Without one it is the whole
/// ledger.
const OPENINGS: &str = "\
    SELECT given.organization_id, (coalesce(past.closing_micros, 0) + coalesce(( \
        SELECT sum(amount_micros) FROM ledger_entries \
        WHERE ledger_entries.organization_id = ANY(ARRAY[given.organization_id]) \
            AND ledger_entries.id >= coalesce(past.until, uuid_floor('epoch')) \
            AND ledger_entries.id < ?), 0) + coalesce(( \
        SELECT sum(amount_micros) FROM wallet_credits \
        WHERE wallet_credits.organization_id = ANY(ARRAY[given.organization_id]) \
            AND wallet_credits.id >= coalesce(past.until, uuid_floor('epoch')) \
            AND wallet_credits.id < ? AND NOT is_entered), 0))::bigint \
    FROM UNNEST(?) AS given (organization_id) \
    LEFT JOIN LATERAL ( \
        SELECT closing_micros, \
            uuid_floor((month + interval '1 month') AT TIME ZONE 'UTC') AS until \
        FROM invoices WHERE invoices.organization_id = ANY(ARRAY[given.organization_id]) \
            AND month < ? \
        ORDER BY month DESC LIMIT 1) AS past ON true";

const CHANNEL_LINES: &str = "\
    SELECT organization_id, channel, sum(messages)::bigint, sum(segments)::bigint, \
        sum(cost_micros)::bigint \
    FROM delivery_log_counters \
    WHERE organization_id = ANY(?) AND span = 'DAY' AND starts_at >= ? AND starts_at < ? \
        AND NOT is_sandbox \
    GROUP BY 1, 2 HAVING sum(messages) <> 0 ORDER BY 1, 2";

const INSERT: &str = "\
    WITH given AS ( \
        SELECT * FROM UNNEST(?, ?, ?, ?, ?, ?) \
            AS stated (organization_id, id, month, amount_micros, closing_micros, statement) \
    ), counted AS ( \
        INSERT INTO invoice_numbers AS counter (organization_id, last_number) \
        SELECT organization_id, 1 FROM given ORDER BY organization_id \
        ON CONFLICT (organization_id) DO UPDATE SET last_number = counter.last_number + 1 \
        RETURNING organization_id, last_number \
    ) \
    INSERT INTO invoices (organization_id, id, number, kind, status, amount_micros, month, \
        closing_micros, statement, issued_at, paid_at) \
    SELECT organization_id, id, last_number, 'STATEMENT', 'PAID', amount_micros, month, \
        closing_micros, statement, ?, ? \
    FROM given JOIN counted USING (organization_id)";
