//! Leases whose jobs this process does not know, because the answer to a claim, or to an
//! acceptance, was lost.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::messaging::job::Lease;
use ports::shared::store::StoreError;
use tokio::time::Instant;

use super::LEASE_SECONDS;
use crate::shared::{database::connection::Connection, query::sql::sql};

/// Time for which the jobs are searched: a commit may wait for a standby long after its connection
/// broke. After that the lease has ended.
const UNCERTAIN: Duration = Duration::from_secs(LEASE_SECONDS.unsigned_abs());
/// Interval between searches.
const PAUSE: Duration = Duration::from_secs(5);

/// Leases under which this process may have jobs without knowing. Nobody works under them.
#[derive(Default)]
pub(super) struct LostLeases(Mutex<Vec<Lost>>);

#[derive(Clone, Copy)]
struct Lost {
    lease: Lease,
    by: LostBy,
    since: Instant,
    look_at: Instant,
}

/// Request that was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LostBy {
    /// Claim of jobs.
    Claim,
    /// Acceptance of messages, whose only attempt is the planned one.
    Acceptance,
}

impl LostLeases {
    pub(super) fn note(&self, lease: Lease, by: LostBy) {
        let now = Instant::now();
        let mut all = self.all();
        // An instance without workers never searches for them.
        all.retain(|lost| now < lost.since + UNCERTAIN);
        all.push(Lost { lease, by, since: now, look_at: now });
    }

    /// Frees the jobs under lost leases.
    pub(super) async fn free(&self, conn: &mut Connection) -> Result<(), StoreError> {
        let due = self.due();
        if due.is_empty() {
            return Ok(());
        }
        let accepted = due.iter().filter(|lost| lost.by == LostBy::Acceptance);
        let accepted: Vec<_> = accepted.map(|lost| lost.lease.0).collect();
        let leases: Vec<_> = due.iter().map(|lost| lost.lease.0).collect();
        let freed: i64 = sql!(FREE, accepted, leases).only(conn).await?;
        if freed > 0 {
            tracing::warn!(jobs = freed, "freed jobs whose lease was lost with an answer");
        }
        Ok(())
    }

    /// Returns the leases that are due for a search.
    fn due(&self) -> Vec<Lost> {
        let now = Instant::now();
        let mut all = self.all();
        all.retain(|lost| now < lost.since + UNCERTAIN);
        let due = all.iter_mut().filter(|lost| lost.look_at <= now);
        due.map(|lost| {
            lost.look_at = now + PAUSE;
            *lost
        })
        .collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Lost>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const FREE: &str = "\
    WITH held AS ( \
        SELECT organization_id, id, lease = ANY({accepted}) AS is_accepted FROM delivery_jobs \
        WHERE lease = ANY({leases}) FOR UPDATE \
    ), freed AS ( \
        UPDATE delivery_jobs job SET lease = NULL, is_ready = true, due_at = now() FROM held \
        WHERE job.organization_id = ANY(ARRAY[held.organization_id]) AND job.id = held.id \
    ), unbegun AS ( \
        UPDATE delivery_logs log SET attempts = '[]' FROM held \
        WHERE held.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[held.id]) \
            AND held.is_accepted AND log.status = 'QUEUED' \
    ) \
    SELECT count(*) FROM held";
