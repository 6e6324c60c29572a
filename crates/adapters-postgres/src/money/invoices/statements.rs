//! Monthly statements: one organization after the other, from the ledger and the counters of days.

use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use diesel::{dsl, prelude::*};
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
    query::{json::Json, row::row, run_query::RunQueryDsl, sql::sql},
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
        let move_on = sql!(
            "UPDATE statement_runs SET reached = {last}, has_left = {has_left}, \
                due_at = {due_at}, finished_at = {finished_at} \
             WHERE month = {month}",
            last = turn.last,
            has_left = goes_on && has_left,
            due_at = (!goes_on).then_some(now + AGAIN),
            finished_at = (progress == StatementProgress::Finished).then_some(now),
            month = run.month.first_day(),
        );
        move_on.execute(session.conn()).await?;
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

row! {
    struct RunRow {
        month: NaiveDate,
        reached: Option<Uuid>,
        has_left: bool,
    }
}

row! {
    struct OrganizationRow {
        organization_id: Uuid,
        is_stated: bool,
    }
}

row! {
    struct MovedRow {
        organization_id: Uuid,
        kind: String,
        amount_micros: Money,
    }
}

row! {
    struct ChannelRow {
        organization_id: Uuid,
        channel: String,
        messages: i64,
        segments: i64,
        cost_micros: Money,
    }
}

row! {
    struct OpeningRow {
        organization_id: Uuid,
        opening_micros: Money,
    }
}

/// Returns the month to continue with, unless another instance works on it.
async fn next_run(conn: &mut Connection, now: DateTime<Utc>) -> Result<Option<Run>, StoreError> {
    let next = sql!(
        "SELECT month, reached, has_left FROM statement_runs \
         WHERE pg_try_advisory_xact_lock(hashtext('atumpan statements')) \
            AND finished_at IS NULL AND (due_at IS NULL OR due_at <= {now}) \
         ORDER BY month LIMIT 1",
        now,
    );
    let found: Option<RunRow> = next.row(conn).await?;
    Ok(found.map(|row| Run {
        month: Month::of(row.month),
        reached: row.reached.unwrap_or_default(),
        has_left: row.has_left,
    }))
}

async fn next_organizations(
    conn: &mut Connection,
    run: &Run,
    limit: usize,
) -> Result<Turn, StoreError> {
    let next = sql!(
        "SELECT organization_id, EXISTS (SELECT FROM invoices \
            WHERE invoices.organization_id = ANY(ARRAY[wallets.organization_id]) \
                AND month = {month}) AS is_stated \
         FROM wallets WHERE organization_id > {reached} AND organization_id <> {platform} \
         ORDER BY organization_id LIMIT {limit}",
        month = run.month.first_day(),
        reached = run.reached,
        platform = PLATFORM,
        limit = i64::try_from(limit).unwrap_or(i64::MAX),
    );
    let found: Vec<OrganizationRow> = next.rows(conn).await?;
    let last = if found.len() < limit { None } else { found.last().map(|row| row.organization_id) };
    let open = found.into_iter().filter(|row| !row.is_stated).map(|row| row.organization_id);
    Ok(Turn { open: open.collect(), last })
}

/// Returns the organizations whose ledger or counters do not have the whole month yet.
async fn waiting(conn: &mut Connection, month: Month) -> Result<HashSet<Uuid>, StoreError> {
    let waiting = sql!(
        "SELECT DISTINCT organization_id FROM ( \
            SELECT unnest(organization_ids || payer_ids || payee_ids) AS organization_id \
            FROM journal WHERE written_at < {end} \
            UNION ALL \
            SELECT unnest(organization_ids || payer_ids || payee_ids) \
            FROM journal_rollups WHERE written_at < {end} \
            UNION ALL \
            SELECT organization_id FROM ledger_hours WHERE hour < {end}) AS waiting",
        end = month.end(),
    );
    let waiting: Vec<Uuid> = waiting.values(conn).await?;
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
    // Credits that are not entered yet are part of the ledger as well.
    let moved = sql!(
        "SELECT organization_id, kind, sum(amount_micros)::bigint AS amount_micros FROM ( \
            SELECT organization_id, kind, amount_micros FROM ledger_entries \
            WHERE organization_id = ANY({organizations}) AND id >= {first} AND id < {end} \
            UNION ALL \
            SELECT organization_id, kind, amount_micros FROM wallet_credits \
            WHERE organization_id = ANY({organizations}) AND id >= {first} AND id < {end} \
                AND NOT is_entered) AS entry \
         GROUP BY 1, 2",
        organizations,
        first = floor(month.start()),
        end = floor(month.end()),
    );
    let rows: Vec<MovedRow> = moved.rows(conn).await?;
    let mut movements: HashMap<Uuid, Movements> = HashMap::new();
    for MovedRow { organization_id, kind, amount_micros: amount } in rows {
        let moved = movements.entry(organization_id).or_default();
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
    let counted = sql!(
        "SELECT organization_id, channel, sum(messages)::bigint AS messages, \
            sum(segments)::bigint AS segments, sum(cost_micros)::bigint AS cost_micros \
         FROM delivery_log_counters \
         WHERE organization_id = ANY({organizations}) AND span = 'DAY' \
            AND starts_at >= {start} AND starts_at < {end} AND NOT is_sandbox \
         GROUP BY 1, 2 HAVING sum(messages) <> 0 ORDER BY 1, 2",
        organizations,
        start = month.start(),
        end = month.end(),
    );
    let rows: Vec<ChannelRow> = counted.rows(conn).await?;
    let mut lines: BTreeMap<Uuid, Vec<ChannelLine>> = BTreeMap::new();
    for row in rows {
        let organization = row.organization_id;
        let channel =
            row.channel.parse().map_err(|_| corrupt("delivery_log_counters", organization))?;
        let (messages, segments) = (row.messages, row.segments);
        let line = ChannelLine { channel, messages, segments, cost: row.cost_micros };
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
    let first = floor(month.start());
    let openings = sql!(OPENINGS, organizations, first, month = month.first_day());
    let rows: Vec<OpeningRow> = openings.rows(conn).await?;
    Ok(rows.into_iter().map(|row| (row.organization_id, row.opening_micros)).collect())
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
        Id::<Invoice>::new_in(now, Id::<Organization>::of(*organization))
    };
    let column = |amount: fn(&MonthlyStatement) -> Money| -> Vec<Money> {
        statements.iter().map(|(_, it)| amount(it)).collect()
    };
    let insert = sql!(
        INSERT,
        organizations = statements.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        ids = statements.iter().map(id).collect::<Vec<_>>(),
        months = statements.iter().map(|(_, it)| it.month.first_day()).collect::<Vec<_>>(),
        amounts = column(MonthlyStatement::spent),
        closings = column(MonthlyStatement::closing),
        statements = rows.iter().map(Json).collect::<Vec<_>>(),
        now,
    );
    insert.execute(conn).await?;
    Ok(())
}

/// Returns the smallest identifier of an entry of that time.
fn floor(time: DateTime<Utc>) -> Uuid {
    Id::<Invoice>::floor(time).uuid()
}

/// Closing balance of the last statement, plus the entries since. Without one it is the whole
/// ledger.
const OPENINGS: &str = "\
    SELECT given.organization_id, (coalesce(past.closing_micros, 0) + coalesce(( \
        SELECT sum(amount_micros) FROM ledger_entries \
        WHERE ledger_entries.organization_id = ANY(ARRAY[given.organization_id]) \
            AND ledger_entries.id >= coalesce(past.until, uuid_floor('epoch')) \
            AND ledger_entries.id < {first}), 0) + coalesce(( \
        SELECT sum(amount_micros) FROM wallet_credits \
        WHERE wallet_credits.organization_id = ANY(ARRAY[given.organization_id]) \
            AND wallet_credits.id >= coalesce(past.until, uuid_floor('epoch')) \
            AND wallet_credits.id < {first} AND NOT is_entered), 0))::bigint AS opening_micros \
    FROM UNNEST({organizations}::uuid[]) AS given (organization_id) \
    LEFT JOIN LATERAL ( \
        SELECT closing_micros, \
            uuid_floor((month + interval '1 month') AT TIME ZONE 'UTC') AS until \
        FROM invoices WHERE invoices.organization_id = ANY(ARRAY[given.organization_id]) \
            AND month < {month} \
        ORDER BY month DESC LIMIT 1) AS past ON true";

const INSERT: &str = "\
    WITH given AS ( \
        SELECT * FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {months}::date[], \
                {amounts}::bigint[], {closings}::bigint[], {statements}::jsonb[]) \
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
        closing_micros, statement, {now}::timestamptz, {now}::timestamptz \
    FROM given JOIN counted USING (organization_id)";
