//! Posting: the rollups of a bucket of organizations change counters and open hours of the ledger,
//! once for each total.

use chrono::TimeDelta;
use domain::money::wallet::LedgerKind;
use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

/// Maximum number of rollups posted at a time, more than gather during a posting.
const MANY: i64 = 1_000;
/// Limit that every rollup satisfies, even that of an instance whose clock is ahead.
const ANY_AGE: TimeDelta = TimeDelta::days(-1);

impl PgStore {
    /// Posts the rollups of the bucket with the oldest one, if that is older than `age`, and
    /// returns their number. One instance does so at a time; for the others it returns 0.
    pub async fn post_oldest_bucket(&self, age: Option<TimeDelta>) -> Result<usize, StoreError> {
        let post = sql!(
            [TAKE_AND_COUNT, COUNT_FIGURES, ENTER],
            age = age.unwrap_or(ANY_AGE).num_seconds(),
            most = MANY,
            debit = LedgerKind::MessageDebit.as_str(),
            refund = LedgerKind::MessageRefund.as_str(),
        );
        self.post(post).await
    }
}

/// A message that changes its state leaves one and enters another, so the sum over all states
/// counts only accepted messages. A rollup that another instance posted meanwhile is gone, so
/// nothing is posted twice. Changes older than the stored hours and slots change the day alone: a
/// deleted hour would come back incomplete.
const TAKE_AND_COUNT: &str = "\
    WITH taken AS ( \
        DELETE FROM journal_rollups WHERE ctid = ANY(ARRAY(SELECT ctid FROM journal_rollups \
            WHERE bucket = (SELECT bucket FROM journal_rollups \
                WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan rollups'))) \
                    AND written_at <= now() - make_interval(secs => {age}::bigint) \
                ORDER BY written_at LIMIT 1) \
            ORDER BY id LIMIT {most})) \
        RETURNING *, date_trunc('hour', written_at, 'UTC') AS hour \
    ), change AS ( \
        SELECT organization_id, slot, channel, status, is_sandbox, dimensions, \
            sum(messages) AS messages, sum(segments) AS segments, sum(cost_micros) AS cost_micros \
        FROM (SELECT unnest(organization_ids) AS organization_id, unnest(slots) AS slot, \
                unnest(channels) AS channel, unnest(statuses) AS status, \
                unnest(are_sandbox) AS is_sandbox, unnest(messages) AS messages, \
                unnest(segments) AS segments, unnest(costs_micros) AS cost_micros, \
                unnest(dimensions) AS dimensions \
            FROM taken) AS each \
        GROUP BY 1, 2, 3, 4, 5, 6 \
        HAVING sum(messages) <> 0 OR sum(segments) <> 0 OR sum(cost_micros) <> 0 \
    ), slotted AS ( \
        INSERT INTO delivery_log_slots AS counter (organization_id, starts_at, channel, messages) \
        SELECT organization_id, slot, channel, sum(messages) FROM change \
        WHERE slot >= (SELECT hours_kept_since()) \
        GROUP BY 1, 2, 3 HAVING sum(messages) <> 0 \
        ON CONFLICT (organization_id, starts_at, channel) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages \
    ), counted AS ( \
        INSERT INTO delivery_log_counters AS counter (organization_id, span, starts_at, channel, \
            status, is_sandbox, messages, segments, cost_micros) \
        SELECT organization_id, span, date_trunc(span, slot, 'UTC'), channel, status, is_sandbox, \
            sum(messages), sum(segments), sum(cost_micros) \
        FROM change CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span) \
        WHERE span = 'DAY' OR slot >= (SELECT hours_kept_since()) \
        GROUP BY 1, 2, 3, 4, 5, 6 \
        ON CONFLICT (organization_id, span, starts_at, channel, status, is_sandbox) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages, \
            segments = counter.segments + EXCLUDED.segments, \
            cost_micros = counter.cost_micros + EXCLUDED.cost_micros \
    ), ";

const ENTER: &str = "\
    , paid AS ( \
        SELECT written_at, hour, {debit}::text AS kind, unnest(payer_ids) AS organization_id, \
            unnest(debits_micros) AS amount_micros, unnest(paid_messages) AS messages \
        FROM taken \
        UNION ALL \
        SELECT written_at, hour, {refund}::text AS kind, unnest(payee_ids), unnest(refunds_micros), \
            unnest(refunded_messages) \
        FROM taken \
    ), entered AS ( \
        INSERT INTO ledger_hours AS open \
            (organization_id, hour, kind, id, amount_micros, messages, updated_at) \
        SELECT organization_id, hour, kind, uuid_v7_in(min(written_at), organization_id), \
            sum(amount_micros), sum(messages), max(written_at) \
        FROM paid GROUP BY 1, 2, 3 \
        ON CONFLICT (organization_id, hour, kind) DO UPDATE \
        SET amount_micros = open.amount_micros + EXCLUDED.amount_micros, \
            messages = open.messages + EXCLUDED.messages, \
            updated_at = greatest(open.updated_at, EXCLUDED.updated_at) \
    ) SELECT count(*) FROM taken";

/// Numbers that cancel out are left out: a message that goes from one state to another stays in its
/// country. A long message and a short one that replace each other cancel out in their number alone.
const COUNT_FIGURES: &str = "\
    figured AS ( \
        INSERT INTO message_figures AS figure (organization_id, dimension, starts_at, span, value, \
            sent, delivered, failed, segments, cost_micros) \
        SELECT organization_id, each.dimension, date_trunc(spans.span, slot, 'UTC'), spans.span, \
            each.value, sum(messages), \
            coalesce(sum(messages) FILTER (WHERE status = 'DELIVERED'), 0), \
            coalesce(sum(messages) FILTER (WHERE status = 'FAILED'), 0), sum(segments), \
            coalesce(sum(cost_micros) FILTER (WHERE status <> 'FAILED'), 0) \
        FROM change CROSS JOIN LATERAL dimension_values(dimensions) AS each \
        CROSS JOIN LATERAL (SELECT CASE WHEN slot >= (SELECT figure_hours_kept_since()) \
            THEN 'HOUR' ELSE 'DAY' END AS span) AS spans \
        GROUP BY 1, 2, 3, 4, 5 \
        HAVING sum(messages) <> 0 \
            OR sum(messages) FILTER (WHERE status IN ('DELIVERED', 'FAILED')) <> 0 \
            OR sum(segments) <> 0 \
            OR sum(cost_micros) FILTER (WHERE status <> 'FAILED') <> 0 \
        ON CONFLICT (organization_id, dimension, starts_at, span, value) DO UPDATE \
        SET sent = figure.sent + EXCLUDED.sent, \
            delivered = figure.delivered + EXCLUDED.delivered, \
            failed = figure.failed + EXCLUDED.failed, \
            segments = figure.segments + EXCLUDED.segments, \
            cost_micros = figure.cost_micros + EXCLUDED.cost_micros \
    )";
