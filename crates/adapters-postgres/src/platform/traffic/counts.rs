//! Counts of traffic.

use diesel::sql_types::{Array, BigInt, Integer, Text, Timestamptz, Uuid as SqlUuid};
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
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Numbers of codes and of delivered codes: recent ones, and earlier ones.
type ShareColumns = (BigInt, BigInt, BigInt, BigInt);
type ShareRow = (i64, i64, i64, i64);

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
        Statement::new(&[ADD_HOURS])
            .bind::<Array<SqlUuid>, _>(&organizations)
            .bind::<Array<Integer>, _>(&ranges)
            .bind::<Array<BigInt>, _>(&codes)
            .bind::<Array<BigInt>, _>(&delivered)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Statement::new(&[ADD_RANGE_HOURS])
            .bind::<Array<Integer>, _>(&ranges)
            .bind::<Array<BigInt>, _>(&codes)
            .bind::<Array<BigInt>, _>(&delivered)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
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
    Statement::new(&[ADD_DAYS])
        .bind::<Array<SqlUuid>, _>(organizations)
        .bind::<Array<Text>, _>(countries)
        .bind::<Array<BigInt>, _>(numbers)
        .execute(session.conn())
        .await
        .map_err(store_error)?;
    Ok(())
}

/// Returns the codes of an organization to a range.
pub(super) async fn own(
    session: &mut PgSession,
    (organization, range): (Id<Organization>, OperatorRange),
    windows: Windows,
) -> Result<(CodeShare, CodeShare), StoreError> {
    let query = Statement::<ShareColumns>::returning(&[OWN])
        .bind::<Timestamptz, _>(windows.recent_since)
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Integer, _>(range.digits().cast_signed())
        .bind::<Timestamptz, _>(windows.normal_since);
    Ok(shares(query.get_result(session.conn()).await.map_err(store_error)?))
}

/// Returns the codes of all organizations to a range.
pub(super) async fn all(
    session: &mut PgSession,
    range: OperatorRange,
    windows: Windows,
) -> Result<(CodeShare, CodeShare), StoreError> {
    let query = Statement::<ShareColumns>::returning(&[ALL])
        .bind::<Timestamptz, _>(windows.recent_since)
        .bind::<Integer, _>(range.digits().cast_signed())
        .bind::<Timestamptz, _>(windows.normal_since);
    Ok(shares(query.get_result(session.conn()).await.map_err(store_error)?))
}

/// Counts the other organizations that recently sent codes to a range, up to three, which is all
/// that callers need.
pub(super) async fn others(
    session: &mut PgSession,
    (organization, range): (Id<Organization>, OperatorRange),
    windows: Windows,
) -> Result<u64, StoreError> {
    let query = Statement::<BigInt>::returning(&[OTHERS])
        .bind::<Timestamptz, _>(windows.recent_since)
        .bind::<Integer, _>(range.digits().cast_signed())
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<BigInt, _>(SHOWN_OTHERS.cast_signed());
    let others: i64 = query.get_result(session.conn()).await.map_err(store_error)?;
    Ok(others.unsigned_abs())
}

fn shares((codes, delivered, all_codes, all_delivered): ShareRow) -> (CodeShare, CodeShare) {
    (share(codes, delivered), share(all_codes - codes, all_delivered - delivered))
}

/// Converts the columns of a share.
pub(super) const fn share(codes: i64, delivered: i64) -> CodeShare {
    CodeShare { codes: codes.unsigned_abs(), delivered: delivered.unsigned_abs() }
}

const ADD_HOURS: &str = "\
    INSERT INTO traffic_hours AS kept (organization_id, operator_range, hour, codes, delivered) \
    SELECT line.organization_id, line.operator_range, date_trunc('hour', now(), 'UTC'), \
        line.codes, line.delivered \
    FROM unnest(?, ?, ?, ?) AS line (organization_id, operator_range, codes, delivered) \
    ON CONFLICT (organization_id, operator_range, hour) DO UPDATE \
    SET codes = kept.codes + EXCLUDED.codes, delivered = kept.delivered + EXCLUDED.delivered";

const ADD_RANGE_HOURS: &str = "\
    INSERT INTO traffic_range_hours AS kept (operator_range, hour, codes, delivered) \
    SELECT line.operator_range, date_trunc('hour', now(), 'UTC'), sum(line.codes)::bigint, \
        sum(line.delivered)::bigint \
    FROM unnest(?, ?, ?) AS line (operator_range, codes, delivered) \
    GROUP BY line.operator_range ORDER BY line.operator_range \
    ON CONFLICT (operator_range, hour) DO UPDATE \
    SET codes = kept.codes + EXCLUDED.codes, delivered = kept.delivered + EXCLUDED.delivered";

const ADD_DAYS: &str = "\
    INSERT INTO traffic_days AS kept (organization_id, country_code, day, arrivals) \
    SELECT line.organization_id, line.country_code, (now() AT TIME ZONE 'UTC')::date, line.arrivals \
    FROM unnest(?, ?, ?) AS line (organization_id, country_code, arrivals) \
    ON CONFLICT (organization_id, country_code, day) DO UPDATE \
    SET arrivals = kept.arrivals + EXCLUDED.arrivals";

const OWN: &str = "\
    SELECT coalesce(sum(codes) FILTER (WHERE is_recent), 0)::bigint, \
        coalesce(sum(delivered) FILTER (WHERE is_recent), 0)::bigint, \
        coalesce(sum(codes), 0)::bigint, coalesce(sum(delivered), 0)::bigint \
    FROM (SELECT codes, delivered, hour >= ? AS is_recent FROM traffic_hours \
        WHERE organization_id = ? AND operator_range = ? AND hour >= ?) line";

const ALL: &str = "\
    SELECT coalesce(sum(codes) FILTER (WHERE is_recent), 0)::bigint, \
        coalesce(sum(delivered) FILTER (WHERE is_recent), 0)::bigint, \
        coalesce(sum(codes), 0)::bigint, coalesce(sum(delivered), 0)::bigint \
    FROM (SELECT codes, delivered, hour >= ? AS is_recent FROM traffic_range_hours \
        WHERE operator_range = ? AND hour >= ?) line";

const OTHERS: &str = "\
    SELECT count(*) FROM (SELECT DISTINCT organization_id FROM traffic_hours \
        WHERE hour >= ? AND operator_range = ? AND organization_id <> ? LIMIT ?) other";
