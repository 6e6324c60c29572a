//! Entering: completed hours of messages, and credits, become entries of the ledger.

use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

impl PgStore {
    /// Maximum number of hours of organizations, or credits, entered at a time.
    pub const ENTERED_AT_ONCE: usize = 5_000;

    /// Enters hours that ended more than ten minutes ago into the ledger, and returns their number.
    /// A later change to such an hour opens it again, and makes one more entry.
    pub async fn close_ledger_hours(&self) -> Result<usize, StoreError> {
        self.post(sql!(CLOSE, most = at_once())).await
    }

    /// Enters credits of wallets into the ledger, and returns their number.
    pub async fn enter_credits(&self) -> Result<usize, StoreError> {
        self.post(sql!(ENTER, most = at_once())).await
    }
}

fn at_once() -> i64 {
    i64::try_from(PgStore::ENTERED_AT_ONCE).unwrap_or(i64::MAX)
}

/// Nobody posts meanwhile: the lock is the one of posting. So one instance at a time chains
/// entries; it takes the heads of the chains in the order of the organizations.
const CLOSE: &str = "\
    WITH closed AS ( \
        DELETE FROM ledger_hours WHERE ctid = ANY(ARRAY(SELECT ctid FROM ledger_hours \
            WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan rollups'))) \
                AND hour < date_trunc('hour', now() - interval '10 minutes', 'UTC') \
            ORDER BY hour LIMIT {most})) \
        RETURNING * \
    ), entered AS ( \
        INSERT INTO ledger_entries \
            (id, organization_id, kind, amount_micros, messages, created_at) \
        SELECT id, organization_id, kind, amount_micros, messages, updated_at FROM closed \
        ORDER BY organization_id, hour, kind \
    ) SELECT count(*) FROM closed";

/// Takes the same lock. A credit that another instance entered meanwhile is not entered again.
const ENTER: &str = "\
    WITH credit AS ( \
        UPDATE wallet_credits SET is_entered = true \
        WHERE ctid = ANY(ARRAY(SELECT ctid FROM wallet_credits \
                WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan rollups'))) \
                    AND NOT is_entered \
                ORDER BY id LIMIT {most})) \
            AND NOT is_entered \
        RETURNING * \
    ), entered AS ( \
        INSERT INTO ledger_entries \
            (id, organization_id, kind, amount_micros, reference, created_at) \
        SELECT id, organization_id, kind, amount_micros, reference, created_at FROM credit \
        ORDER BY organization_id, created_at, id \
    ) SELECT count(*) FROM credit";
