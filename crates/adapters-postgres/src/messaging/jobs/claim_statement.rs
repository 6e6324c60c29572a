//! Statement of a claim. It reads no more than a small multiple of what it takes, however many jobs
//! of whatever organizations wait: jobs that are not due are in another index.

use chrono::{DateTime, Utc};
use domain::messaging::{job::Lease, priority::Priority};
use ports::messaging::messages::ClaimLimits;
use uuid::Uuid;

use super::{
    LEASE_SECONDS,
    claim_progress::{Asked, count},
};
use crate::shared::query::{
    row::row,
    sql::{Place, Sql, sql},
};

/// Maximum number of due jobs of a priority that a claim reads.
const DUE_WINDOW: i64 = 4_096;

row! {
    /// Row of a claim. A column is `None` in rows that are not of a job.
    pub(super) struct ClaimRow {
        pub(super) until: Option<DateTime<Utc>>,
        pub(super) priority: Option<i16>,
        /// Provider queue.
        pub(super) line: Option<i32>,
        pub(super) organization_id: Option<Uuid>,
        pub(super) number: Option<i64>,
        pub(super) id: Option<Uuid>,
        pub(super) rounds: Option<i16>,
    }
}

/// Creates the statement, which returns [`ClaimRow`]s.
pub(super) fn claim(asked: Asked, limits: &ClaimLimits, lease: Lease) -> Sql<'static, impl Place> {
    sql!(
        [
            "WITH RECURSIVE ",
            GIVEN,
            ", ",
            DUE,
            ", ",
            OCCUPIED_LINES,
            ", ",
            LINES,
            ", ",
            TURNS,
            ", ",
            CHOICE,
            ", ",
            WRITES,
            ROWS,
        ],
        priorities = asked.priorities,
        provider_queues = asked.provider_queues,
        jobs = asked.jobs,
        after = asked.after,
        since = asked.since,
        due_window = DUE_WINDOW,
        unknown_queues = count(limits.unknown_queues),
        total = count(limits.total),
        ranks = Priority::ALL.map(Priority::rank),
        lease = lease.0,
        lease_seconds = LEASE_SECONDS,
    )
}

/// Provider queues that are given, each with its number of jobs and the organization after which
/// turns begin. Time since which jobs may be due without having been seen, number of due jobs read
/// in each priority, limit of a queue that is not given, and limit of all.
const GIVEN: &str = "\
    room AS MATERIALIZED ( \
        SELECT * FROM UNNEST({priorities}::smallint[], {provider_queues}::integer[], \
            {jobs}::bigint[], {after}::uuid[]) AS room (priority, line, jobs, after) \
    ), given AS MATERIALIZED ( \
        SELECT * FROM (SELECT {since}::timestamptz, {due_window}::bigint, \
            {unknown_queues}::bigint, {total}::bigint) \
            AS given (since, due_window, unknown_lines, total) \
    )";

/// Jobs that have become due, the oldest first.
const DUE: &str = "\
    due AS MATERIALIZED ( \
        SELECT job.* FROM UNNEST({ranks}::smallint[]) AS rank (priority) CROSS JOIN LATERAL ( \
            SELECT priority, line, organization_id, id, due_at FROM delivery_jobs \
            WHERE NOT is_ready AND priority = rank.priority AND due_at <= now() \
                AND due_at > coalesce((SELECT since FROM given), '-infinity') \
            ORDER BY due_at LIMIT (SELECT due_window FROM given) FOR UPDATE SKIP LOCKED) AS job \
    )";

/// Walks from one priority and provider queue that has ready jobs to the next.
pub(crate) const OCCUPIED_LINES: &str = "\
    occupied AS ( \
        (SELECT priority, line FROM delivery_jobs WHERE is_ready ORDER BY priority, line LIMIT 1) \
        UNION ALL \
        SELECT next.priority, next.line FROM occupied CROSS JOIN LATERAL ( \
            SELECT priority, line FROM delivery_jobs job \
            WHERE is_ready AND (job.priority, job.line) > (occupied.priority, occupied.line) \
            ORDER BY priority, line LIMIT 1) AS next \
    )";

/// Requests from each provider queue as many jobs as it has room for. Queues of one priority share
/// the total. A queue without room is asked for a few jobs that have been due for ten minutes.
const LINES: &str = "\
    asked AS MATERIALIZED ( \
        SELECT priority, line, is_open, \
            coalesce(after, '00000000-0000-0000-0000-000000000000') AS after, \
            CASE WHEN is_open THEN least(places, 1 + 4 * total / \
                    count(*) FILTER (WHERE is_open) OVER (PARTITION BY priority)) \
                ELSE 64 END AS jobs, \
            CASE WHEN is_open THEN now() ELSE now() - interval '10 minutes' END AS until \
        FROM (SELECT priority, line FROM occupied UNION SELECT priority, line FROM due) AS line \
        LEFT JOIN room USING (priority, line) CROSS JOIN given \
        CROSS JOIN LATERAL (SELECT coalesce(room.jobs, unknown_lines) AS places) AS limited \
        CROSS JOIN LATERAL (SELECT places > 0 AS is_open) AS state \
    )";

/// Walks over the organizations that have ready jobs in a provider queue, from the one after the
/// last turn around to it again, until there is one for each requested job. If there are fewer,
/// each may give more of its jobs.
const TURNS: &str = "\
    turn AS MATERIALIZED ( \
        SELECT asked.*, next.organization_id, least(asked.jobs, 1 + 2 * asked.jobs / \
            count(*) OVER (PARTITION BY asked.priority, asked.line)) AS share \
        FROM asked CROSS JOIN LATERAL ( \
            SELECT walked.organization_id FROM (VALUES \
                (asked.after, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid), \
                ('00000000-0000-0000-0000-000000000000', asked.after)) AS stretch (above, last) \
            CROSS JOIN LATERAL ( \
                WITH RECURSIVE walk AS ( \
                    (SELECT organization_id FROM delivery_jobs \
                    WHERE is_ready AND priority = asked.priority AND line = asked.line \
                        AND organization_id > stretch.above AND organization_id <= stretch.last \
                    ORDER BY organization_id LIMIT 1) \
                    UNION ALL \
                    SELECT next.organization_id FROM walk CROSS JOIN LATERAL ( \
                        SELECT organization_id FROM delivery_jobs job \
                        WHERE is_ready AND priority = asked.priority AND line = asked.line \
                            AND job.organization_id > walk.organization_id \
                            AND job.organization_id <= stretch.last \
                        ORDER BY organization_id LIMIT 1) AS next \
                ) SELECT organization_id FROM walk) AS walked \
            LIMIT asked.jobs) AS next \
    )";

/// Takes the first job of each organization before the second of any, of each provider queue before
/// more of another, and urgent priorities first.
const CHOICE: &str = "\
    candidate AS ( \
        SELECT turn.priority, turn.line, turn.after, turn.jobs, turn.until, job.*, true AS is_ready \
        FROM turn CROSS JOIN LATERAL ( \
            SELECT organization_id, id, due_at FROM delivery_jobs \
            WHERE is_ready AND priority = turn.priority AND line = turn.line \
                AND organization_id = turn.organization_id AND due_at <= turn.until \
            ORDER BY due_at LIMIT turn.share) AS job \
        UNION ALL \
        SELECT priority, line, asked.after, asked.jobs, asked.until, \
            due.organization_id, due.id, due.due_at, false \
        FROM due JOIN asked USING (priority, line) \
    ), placed AS ( \
        SELECT *, due_at <= until AS is_asked_for, row_number() \
            OVER (PARTITION BY priority, line, organization_id ORDER BY due_at) AS place \
        FROM candidate \
    ), numbered AS ( \
        SELECT *, row_number() OVER (PARTITION BY priority, line \
            ORDER BY is_asked_for DESC, place, organization_id <= after, organization_id) AS number \
        FROM placed \
    ), chosen AS MATERIALIZED ( \
        SELECT organization_id, id, is_ready, number, is_asked_for AND number <= jobs AND row_number() \
            OVER (ORDER BY is_asked_for AND number <= jobs DESC, priority, number, line) \
                <= (SELECT total FROM given) AS is_taken \
        FROM numbered \
    )";

/// Locks and leases the chosen jobs, unless another instance has them by now. Jobs that have become
/// due and are not taken are ready from now on.
const WRITES: &str = "\
    held AS ( \
        SELECT job.organization_id, job.id, chosen.number FROM chosen JOIN delivery_jobs job \
            ON job.organization_id = ANY(ARRAY[chosen.organization_id]) AND job.id = chosen.id \
        WHERE chosen.is_taken AND job.due_at <= now() FOR UPDATE OF job SKIP LOCKED \
    ), claimed AS ( \
        UPDATE delivery_jobs job SET is_ready = false, held_by = NULL, lease = {lease}, \
            due_at = now() + make_interval(secs => {lease_seconds}::bigint) \
        FROM held \
        WHERE job.organization_id = ANY(ARRAY[held.organization_id]) AND job.id = held.id \
        RETURNING job.priority, job.line, job.organization_id, held.number, job.id, job.rounds \
    ), readied AS ( \
        UPDATE delivery_jobs job SET is_ready = true, held_by = NULL FROM chosen \
        WHERE NOT chosen.is_taken AND NOT chosen.is_ready \
            AND job.organization_id = ANY(ARRAY[chosen.organization_id]) AND job.id = chosen.id \
    ) ";

/// A row for each job; one for each provider queue without room that was asked, with its last
/// organization; and at least one, with the time up to which all due jobs have been seen.
const ROWS: &str = "\
    SELECT seen.until, row.* FROM ( \
        SELECT CASE WHEN EXISTS (SELECT FROM due GROUP BY priority HAVING count(*) >= due_window) \
            THEN since ELSE now() - interval '2 seconds' END AS until FROM given) AS seen \
    LEFT JOIN ( \
        SELECT * FROM claimed \
        UNION ALL \
        (SELECT DISTINCT ON (priority, line) priority, line, organization_id, NULL, NULL, NULL FROM turn \
        WHERE NOT is_open ORDER BY priority, line, organization_id <= after DESC, organization_id DESC) \
    ) AS row ON true";
