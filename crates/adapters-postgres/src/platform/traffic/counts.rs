//! Counts of traffic.

use domain::{
    identity::{
        organization::Organization,
        traffic::{CodeShare, OperatorRange, SHOWN_OTHERS, Windows},
    },
    shared::id::Id,
};
use ports::{platform::traffic::TrafficCounts, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgSession,
    query::{row::row, sql::sql},
};

row! {
    struct ShareRow {
        /// Recent codes.
        codes: i64,
        delivered: i64,
        /// Recent and earlier ones.
        all_codes: i64,
        all_delivered: i64,
    }
}

/// Adds to the counts, in a transaction.
pub(super) async fn add(session: &mut PgSession, counts: &TrafficCounts) -> Result<(), StoreError> {
    let (mut organizations, mut ranges) = (Vec::new(), Vec::new());
    let (mut codes, mut delivered) = (Vec::new(), Vec::new());
    for (organization, range, share) in &counts.codes {
        organizations.push(organization.uuid());
        ranges.push(range.digits().cast_signed());
        codes.push(share.codes.cast_signed());
        delivered.push(share.delivered.cast_signed());
    }
    if !codes.is_empty() {
        let add = sql!(
            ADD_HOURS,
            organizations,
            ranges = ranges.as_slice(),
            codes = codes.as_slice(),
            delivered = delivered.as_slice(),
        );
        add.execute(session.conn()).await?;
        sql!(ADD_RANGE_HOURS, ranges, codes, delivered).execute(session.conn()).await?;
    }
    add_arrivals(session, counts).await
}

async fn add_arrivals(session: &mut PgSession, counts: &TrafficCounts) -> Result<(), StoreError> {
    if counts.arrivals.is_empty() {
        return Ok(());
    }
    let arrivals = &counts.arrivals;
    let organizations: Vec<Uuid> = arrivals.iter().map(|(who, ..)| who.uuid()).collect();
    let countries: Vec<_> = arrivals.iter().map(|(_, country, _)| country.to_string()).collect();
    let numbers: Vec<i64> = arrivals.iter().map(|(.., number)| number.cast_signed()).collect();
    sql!(ADD_DAYS, organizations, countries, numbers).execute(session.conn()).await?;
    Ok(())
}

/// Returns the codes of an organization to a range.
pub(super) async fn own(
    session: &mut PgSession,
    (organization, range): (Id<Organization>, OperatorRange),
    windows: Windows,
) -> Result<(CodeShare, CodeShare), StoreError> {
    let own = sql!(
        OWN,
        recent_since = windows.recent_since,
        organization,
        range = range.digits().cast_signed(),
        normal_since = windows.normal_since,
    );
    Ok(shares(&own.only_row(session.conn()).await?))
}

/// Returns the codes of all organizations to a range.
pub(super) async fn all(
    session: &mut PgSession,
    range: OperatorRange,
    windows: Windows,
) -> Result<(CodeShare, CodeShare), StoreError> {
    let all = sql!(
        ALL,
        recent_since = windows.recent_since,
        range = range.digits().cast_signed(),
        normal_since = windows.normal_since,
    );
    Ok(shares(&all.only_row(session.conn()).await?))
}

/// Counts the other organizations that recently sent codes to a range, up to three, which is all
/// that callers need.
pub(super) async fn others(
    session: &mut PgSession,
    (organization, range): (Id<Organization>, OperatorRange),
    windows: Windows,
) -> Result<u64, StoreError> {
    let others = sql!(
        "SELECT count(*) FROM (SELECT DISTINCT organization_id FROM traffic_hours \
            WHERE hour >= {since} AND operator_range = {range} \
                AND organization_id <> {organization} LIMIT {most}) other",
        since = windows.recent_since,
        range = range.digits().cast_signed(),
        organization,
        most = SHOWN_OTHERS.cast_signed(),
    );
    let others: i64 = others.only(session.conn()).await?;
    Ok(others.unsigned_abs())
}

fn shares(row: &ShareRow) -> (CodeShare, CodeShare) {
    let recent = share(row.codes, row.delivered);
    (recent, share(row.all_codes - row.codes, row.all_delivered - row.delivered))
}

/// Converts the columns of a share.
pub(super) const fn share(codes: i64, delivered: i64) -> CodeShare {
    CodeShare { codes: codes.unsigned_abs(), delivered: delivered.unsigned_abs() }
}

const ADD_HOURS: &str = "\
    INSERT INTO traffic_hours AS kept (organization_id, operator_range, hour, codes, delivered) \
    SELECT line.organization_id, line.operator_range, date_trunc('hour', now(), 'UTC'), \
        line.codes, line.delivered \
    FROM unnest({organizations}::uuid[], {ranges}::integer[], {codes}::bigint[], \
            {delivered}::bigint[]) \
        AS line (organization_id, operator_range, codes, delivered) \
    ON CONFLICT (organization_id, operator_range, hour) DO UPDATE \
    SET codes = kept.codes + EXCLUDED.codes, delivered = kept.delivered + EXCLUDED.delivered";

const ADD_RANGE_HOURS: &str = "\
    INSERT INTO traffic_range_hours AS kept (operator_range, hour, codes, delivered) \
    SELECT line.operator_range, date_trunc('hour', now(), 'UTC'), sum(line.codes)::bigint, \
        sum(line.delivered)::bigint \
    FROM unnest({ranges}::integer[], {codes}::bigint[], {delivered}::bigint[]) \
        AS line (operator_range, codes, delivered) \
    GROUP BY line.operator_range ORDER BY line.operator_range \
    ON CONFLICT (operator_range, hour) DO UPDATE \
    SET codes = kept.codes + EXCLUDED.codes, delivered = kept.delivered + EXCLUDED.delivered";

const ADD_DAYS: &str = "\
    INSERT INTO traffic_days AS kept (organization_id, country_code, day, arrivals) \
    SELECT line.organization_id, line.country_code, (now() AT TIME ZONE 'UTC')::date, line.arrivals \
    FROM unnest({organizations}::uuid[], {countries}::text[], {numbers}::bigint[]) \
        AS line (organization_id, country_code, arrivals) \
    ON CONFLICT (organization_id, country_code, day) DO UPDATE \
    SET arrivals = kept.arrivals + EXCLUDED.arrivals";

const OWN: &str = "\
    SELECT coalesce(sum(codes) FILTER (WHERE is_recent), 0)::bigint AS codes, \
        coalesce(sum(delivered) FILTER (WHERE is_recent), 0)::bigint AS delivered, \
        coalesce(sum(codes), 0)::bigint AS all_codes, \
        coalesce(sum(delivered), 0)::bigint AS all_delivered \
    FROM (SELECT codes, delivered, hour >= {recent_since} AS is_recent FROM traffic_hours \
        WHERE organization_id = {organization} AND operator_range = {range} \
            AND hour >= {normal_since}) line";

const ALL: &str = "\
    SELECT coalesce(sum(codes) FILTER (WHERE is_recent), 0)::bigint AS codes, \
        coalesce(sum(delivered) FILTER (WHERE is_recent), 0)::bigint AS delivered, \
        coalesce(sum(codes), 0)::bigint AS all_codes, \
        coalesce(sum(delivered), 0)::bigint AS all_delivered \
    FROM (SELECT codes, delivered, hour >= {recent_since} AS is_recent FROM traffic_range_hours \
        WHERE operator_range = {range} AND hour >= {normal_since}) line";
