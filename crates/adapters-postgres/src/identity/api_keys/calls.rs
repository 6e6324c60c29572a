//! Calls made with API keys, by key and day.

use chrono::NaiveDate;
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
    query::{row::row, sql::sql},
};

/// Maximum number of keys and days written by one statement.
const WRITTEN_AT_ONCE: usize = 1_000;

row! {
    struct DayRow {
        day: NaiveDate,
        accepted: i64,
        refused: i64,
    }
}

/// Adds calls to those on record.
pub(super) async fn add(
    session: &mut PgSession,
    calls: &[(KeyDay, Calls)],
) -> Result<(), StoreError> {
    for calls in calls.chunks(WRITTEN_AT_ONCE) {
        let add = sql!(
            "INSERT INTO api_key_calls (organization_id, key_id, day, accepted, refused) \
             SELECT * FROM UNNEST({organizations}::uuid[], {keys}::uuid[], {days}::date[], \
                {accepted}::bigint[], {refused}::bigint[]) \
             ON CONFLICT (organization_id, key_id, day) DO UPDATE \
             SET accepted = api_key_calls.accepted + excluded.accepted, \
                refused = api_key_calls.refused + excluded.refused",
            organizations = column(calls, |(it, _)| it.organization),
            keys = column(calls, |(it, _)| it.key),
            days = column(calls, |(it, _)| it.day),
            accepted = column(calls, |(_, calls)| calls.accepted.cast_signed()),
            refused = column(calls, |(_, calls)| calls.refused.cast_signed()),
        );
        add.execute(session.conn()).await?;
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
    let since = sql!(
        "SELECT day, accepted, refused FROM api_key_calls \
         WHERE organization_id = {organization} AND key_id = {key} AND day >= {day} ORDER BY day",
        organization,
        key,
        day,
    );
    let rows: Vec<DayRow> = since.rows(session.conn()).await?;
    let calls = |row: DayRow| {
        let (accepted, refused) = (row.accepted.unsigned_abs(), row.refused.unsigned_abs());
        (row.day, Calls { accepted, refused })
    };
    Ok(rows.into_iter().map(calls).collect())
}
