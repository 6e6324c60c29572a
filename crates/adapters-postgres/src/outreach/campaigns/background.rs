//! Cancellation of abandoned campaigns.

use domain::outreach::campaign::MAX_PAUSED_DAYS;
use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

impl PgStore {
    /// Cancels campaigns that have been paused for too long, and returns their number: some hundred
    /// at most, the rest the next time.
    pub(crate) async fn cancel_forgotten_campaigns(&self) -> Result<usize, StoreError> {
        let cancel = sql!(
            "UPDATE campaigns SET status = 'CANCELLED', paused_reason = NULL, \
                needed_micros = NULL, lease = NULL, updated_at = now(), due_at = now() \
             WHERE ctid = ANY(ARRAY(SELECT ctid FROM campaigns \
                WHERE status = 'PAUSED' \
                    AND updated_at < now() - make_interval(days => {days}::integer) \
                LIMIT 500 FOR UPDATE SKIP LOCKED))",
            days = MAX_PAUSED_DAYS,
        );
        cancel.execute(self.session().await?.conn()).await
    }
}
