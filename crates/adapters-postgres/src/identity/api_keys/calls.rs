//! Calls made with API keys, by key and day.

use chrono::NaiveDate;
use diesel::sql_types::{Array, BigInt, Date, Uuid as SqlUuid};
use domain::{
    identity::{
        api_key::ApiKey,
        key_calls::{Calls, KeyDay},
        organization::Organization,
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgSession,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Maximum number of keys and days written by one statement.
const WRITTEN_AT_ONCE: usize = 1_000;

/// Adds calls to those on record.
pub(super) async fn add(
    session: &mut PgSession,
    calls: &[(KeyDay, Calls)],
) -> Result<(), StoreError> {
    for calls in calls.chunks(WRITTEN_AT_ONCE) {
        Statement::new(&[ADD])
            .bind::<Array<SqlUuid>, _>(column(calls, |(it, _)| it.organization.uuid()))
            .bind::<Array<SqlUuid>, _>(column(calls, |(it, _)| it.key.uuid()))
            .bind::<Array<Date>, _>(column(calls, |(it, _)| it.day))
            .bind::<Array<BigInt>, _>(column(calls, |(_, calls)| calls.accepted.cast_signed()))
            .bind::<Array<BigInt>, _>(column(calls, |(_, calls)| calls.refused.cast_signed()))
            .execute(session.conn())
            .await
            .map_err(store_error)?;
    }
    Ok(())
}

fn column<V>(calls: &[(KeyDay, Calls)], value: impl Fn(&(KeyDay, Calls)) -> V) -> Vec<V> {
    calls.iter().map(value).collect()
}

/// Returns the recorded calls of a key since a day, oldest first.
pub(super) async fn since(
    session: &mut PgSession,
    organization: Id<Organization>,
    key: Id<ApiKey>,
    day: NaiveDate,
) -> Result<Vec<(NaiveDate, Calls)>, StoreError> {
    let query = Statement::<(Date, BigInt, BigInt)>::returning(&[SINCE])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<SqlUuid, _>(key.uuid())
        .bind::<Date, _>(day);
    let rows: Vec<(NaiveDate, i64, i64)> = query.load(session.conn()).await.map_err(store_error)?;
    let calls = |(day, accepted, refused): (NaiveDate, i64, i64)| {
        (day, Calls { accepted: accepted.unsigned_abs(), refused: refused.unsigned_abs() })
    };
    Ok(rows.into_iter().map(calls).collect())
}

const ADD: &str = "\
    INSERT INTO api_key_calls (organization_id, key_id, day, accepted, refused) \
    SELECT * FROM UNNEST(?, ?, ?, ?, ?) \
    ON CONFLICT (organization_id, key_id, day) DO UPDATE \
    SET accepted = api_key_calls.accepted + excluded.accepted, \
        refused = api_key_calls.refused + excluded.refused";

const SINCE: &str = "\
    SELECT day, accepted, refused FROM api_key_calls \
    WHERE organization_id = ? AND key_id = ? AND day >= ? ORDER BY day";
