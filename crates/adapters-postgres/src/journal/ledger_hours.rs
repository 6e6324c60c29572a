//! Closing: hours of the ledger that are over become entries.

use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use ports::store::StoreError;

use crate::{error::store_error, session::PgStore, statement::Statement};

impl PgStore {
    /// How many hours of organizations are closed at a time at the most.
    pub const CLOSED_AT_ONCE: usize = 5_000;

    /// Enters hours into the ledger that ended more than ten minutes ago, and returns how many it were.
    /// What comes later for such an hour opens it again, and makes one more entry.
    pub async fn close_ledger_hours(&self) -> Result<usize, StoreError> {
        let mut session = self.session().await?;
        let statement = Statement::<Close, BigInt>::new(&[CLOSE])
            .bind::<BigInt, _>(i64::try_from(Self::CLOSED_AT_ONCE).unwrap_or(i64::MAX));
        let closed: i64 = statement.get_result(session.conn()).await.map_err(store_error)?;
        Ok(usize::try_from(closed).unwrap_or_default())
    }
}

/// Nobody posts meanwhile: it is the lock of those who do.
struct Close;
const CLOSE: &str = "\
    WITH closed AS ( \
        DELETE FROM ledger_hours WHERE ctid = ANY(ARRAY(SELECT ctid FROM ledger_hours \
            WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan rollups'))) \
                AND hour < date_trunc('hour', now() - interval '10 minutes', 'UTC') \
            ORDER BY hour LIMIT ?)) \
        RETURNING * \
    ), entered AS ( \
        INSERT INTO ledger_entries \
            (id, organization_id, kind, amount_micros, messages, created_at) \
        SELECT id, organization_id, kind, amount_micros, messages, updated_at FROM closed \
    ) SELECT count(*) FROM closed";
