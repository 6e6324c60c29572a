//! Figures of payments that wait for us or for an administrator.

use chrono::TimeDelta;
use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

/// Figures of payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentFigures {
    /// Number of payments that could not be credited and that no administrator has resolved, at most
    /// 1,000.
    pub open_exceptions: u64,
    /// Time by which the check of a top-up with the gateway is overdue; zero if none is.
    pub top_ups_overdue: TimeDelta,
}

impl PgStore {
    /// Returns the figures of payments.
    pub async fn payment_figures(&self) -> Result<PaymentFigures, StoreError> {
        let mut session = self.session().await?;
        let open: i64 = sql!(OPEN_EXCEPTIONS).only(session.conn()).await?;
        let overdue: i64 = sql!(OVERDUE).only(session.conn()).await?;
        Ok(PaymentFigures {
            open_exceptions: open.unsigned_abs(),
            top_ups_overdue: TimeDelta::microseconds(overdue.max(0)),
        })
    }
}

const OPEN_EXCEPTIONS: &str = "\
    SELECT count(*) FROM ( \
        SELECT FROM payment_exceptions WHERE resolved_at IS NULL LIMIT 1000) AS open";

const OVERDUE: &str = "\
    SELECT coalesce((extract(epoch FROM clock_timestamp() - min(check_at)) * 1000000)::bigint, 0) \
    FROM top_ups WHERE status = 'PENDING'";
