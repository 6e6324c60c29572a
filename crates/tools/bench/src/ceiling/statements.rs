//! Statements of the bare program: one for each batch. Values that all messages share are in the text.

/// Writes the line of the journal. Its parameters come first in both statements.
const JOURNAL: &str = "\
    INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox, \
        messages, segments, costs_micros, dimensions, payer_ids, debits_micros, paid_messages) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

const WALLETS: &str = "\
    UPDATE wallets SET balance_micros = balance_micros + moved.amount, updated_at = $2 \
    FROM UNNEST($12::uuid[], $13::bigint[]) AS moved (organization_id, amount) \
    WHERE wallets.organization_id = ANY(ARRAY[moved.organization_id])";

const KEYS: &str = "\
    INSERT INTO idempotency_keys \
        (expires_at, organization_id, is_sandbox, key, fingerprint, message_ids) \
    SELECT $2 + interval '24 hours', organization_id, false, key, fingerprint, ARRAY[id] \
    FROM UNNEST($15::uuid[], $16::text[], $17::bytea[], $18::uuid[]) \
        AS used (organization_id, key, fingerprint, id)";

/// Without a lease a job is ready for any claim, as on an instance without workers.
const JOBS: &str = "\
    INSERT INTO delivery_jobs (id, organization_id, priority, lease, line, is_ready, due_at) \
    SELECT id, organization_id, 2, $19::uuid, 1, $19::uuid IS NULL, \
        CASE WHEN $19::uuid IS NULL THEN now() ELSE now() + interval '120 seconds' END \
    FROM UNNEST($20::uuid[], $21::uuid[]) AS job (id, organization_id)";

const LOGS: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
        category, priority, body, segments, cost_micros, is_sandbox, is_confidential, attempts, \
        created_at, expires_at) \
    SELECT id, organization_id, channel, 'QUEUED', recipient, 'GH', 'TRANSACTIONAL', 2, body, 1, \
        35000, false, false, attempts::jsonb, created_at, created_at + interval '1 day' \
    FROM UNNEST($20::uuid[], $21::uuid[], $22::text[], $23::text[], $24::text[], $25::text[], \
            $26::timestamptz[]) \
        AS message (id, organization_id, channel, recipient, body, attempts, created_at)";

/// A job is not changed between its acceptance and its report.
const REPORTED: &str = "\
    DELETE FROM delivery_jobs job \
    USING UNNEST($15::uuid[], $16::uuid[]) AS reported (id, organization_id) \
    WHERE job.organization_id = ANY(ARRAY[reported.organization_id]) AND job.id = reported.id";

const STATES: &str = "\
    UPDATE delivery_logs log SET status = step.status, provider = 'simulated', \
        attempts = coalesce(step.attempts::jsonb, log.attempts), \
        sent_at = coalesce(step.sent_at, log.sent_at), delivered_at = step.delivered_at \
    FROM UNNEST($17::uuid[], $18::uuid[], $19::text[], $20::text[], $21::timestamptz[], \
            $22::timestamptz[]) \
        AS step (id, organization_id, status, attempts, sent_at, delivered_at) \
    WHERE step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id])";

/// Returns the statement that accepts a batch. `PostgreSQL` executes the parts from the last to the
/// first, so a wallet is locked no longer than the commit takes.
pub(super) fn accept() -> String {
    format!(
        "WITH moved AS ({WALLETS}), counted AS ({JOURNAL}), used AS ({KEYS}), leased AS ({JOBS}) \
         {LOGS}"
    )
}

/// Returns the statement that writes a batch of hand-overs and of reports.
pub(super) fn step() -> String {
    format!("WITH counted AS ({JOURNAL}), reported AS ({REPORTED}) {STATES}")
}
