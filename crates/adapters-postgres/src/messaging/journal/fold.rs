//! Folding: lines of the journal are added up, into one rollup for each bucket of organizations.

use chrono::TimeDelta;
use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

impl PgStore {
    /// Maximum number of journal lines folded at a time.
    pub const FOLDED_AT_ONCE: usize = 1_000;

    /// Folds the lines of the journal into rollups, if the oldest is older than `age`, moves
    /// refunds to their wallets, and returns the number of lines. One instance does so at a time;
    /// for the others it returns 0.
    pub async fn fold_journal(&self, age: Option<TimeDelta>) -> Result<usize, StoreError> {
        let fold = sql!(
            [TAKE, COUNT_PLATFORM, ", ", COUNT_CAMPAIGNS, ", ", MOVE_REFUNDS, ADD_UP],
            age = age.map(|age| age.num_milliseconds()),
            most = i64::try_from(Self::FOLDED_AT_ONCE).unwrap_or(i64::MAX),
        );
        self.post(fold).await
    }
}

/// The lock is requested once. A line that another instance folded meanwhile is gone, so nothing is
/// folded twice. The changes of a message that entered a state and left it cancel out.
const TAKE: &str = "\
    WITH taken AS ( \
        DELETE FROM journal WHERE id IN (SELECT id FROM journal \
            WHERE (SELECT pg_try_advisory_xact_lock(hashtext('atumpan journal')) \
                FROM (SELECT {age}::bigint) AS least (millis) \
                WHERE millis IS NULL OR EXISTS (SELECT FROM journal \
                    WHERE id < uuid_floor(now() - make_interval(secs => millis / 1000.0)))) \
            ORDER BY id LIMIT {most}) \
        RETURNING *, date_trunc('hour', written_at, 'UTC') AS hour \
    ), change AS ( \
        SELECT hour, organization_id, slot, channel, status, is_sandbox, dimensions, \
            sum(messages)::bigint AS messages, sum(segments)::bigint AS segments, \
            sum(cost_micros)::bigint AS cost_micros \
        FROM (SELECT hour, unnest(organization_ids) AS organization_id, unnest(slots) AS slot, \
                unnest(channels) AS channel, unnest(statuses) AS status, \
                unnest(are_sandbox) AS is_sandbox, unnest(messages) AS messages, \
                unnest(segments) AS segments, unnest(costs_micros) AS cost_micros, \
                unnest(dimensions) AS dimensions \
            FROM taken) AS each \
        GROUP BY 1, 2, 3, 4, 5, 6, 7 \
        HAVING sum(messages) <> 0 OR sum(segments) <> 0 OR sum(cost_micros) <> 0 \
    ), ";

/// A rollup covers one hour, for the ledger is kept by the hour.
const ADD_UP: &str = "\
    , counted AS ( \
        SELECT journal_bucket(organization_id) AS bucket, hour, \
            array_agg(organization_id) AS organization_ids, array_agg(slot) AS slots, \
            array_agg(channel) AS channels, array_agg(status) AS statuses, \
            array_agg(is_sandbox) AS are_sandbox, array_agg(messages) AS messages, \
            array_agg(segments) AS segments, array_agg(cost_micros) AS costs_micros, \
            array_agg(dimensions) AS dimensions \
        FROM change GROUP BY 1, 2 \
    ), debit AS ( \
        SELECT hour, organization_id, sum(amount_micros)::bigint AS amount_micros, \
            sum(messages)::integer AS messages \
        FROM (SELECT hour, unnest(payer_ids) AS organization_id, \
                unnest(debits_micros) AS amount_micros, unnest(paid_messages) AS messages \
            FROM taken) AS each \
        GROUP BY 1, 2 \
    ), paid AS ( \
        SELECT journal_bucket(organization_id) AS bucket, hour, \
            array_agg(organization_id) AS payer_ids, array_agg(amount_micros) AS debits_micros, \
            array_agg(messages) AS paid_messages \
        FROM debit GROUP BY 1, 2 \
    ), refunded AS ( \
        SELECT journal_bucket(organization_id) AS bucket, hour, \
            array_agg(organization_id) AS payee_ids, array_agg(amount_micros) AS refunds_micros, \
            array_agg(messages) AS refunded_messages \
        FROM refund WHERE organization_id IN (SELECT organization_id FROM moved) GROUP BY 1, 2 \
    ), folded AS ( \
        INSERT INTO journal_rollups (bucket, id, written_at, organization_ids, slots, channels, \
            statuses, are_sandbox, messages, segments, costs_micros, dimensions, payer_ids, \
            debits_micros, paid_messages, payee_ids, refunds_micros, refunded_messages) \
        SELECT bucket, uuid_v7(now()), written_at, coalesce(organization_ids, '{}'), \
            coalesce(slots, '{}'), coalesce(channels, '{}'), coalesce(statuses, '{}'), \
            coalesce(are_sandbox, '{}'), coalesce(messages, '{}'), coalesce(segments, '{}'), \
            coalesce(costs_micros, '{}'), coalesce(dimensions, '{}'), \
            coalesce(payer_ids, '{}'), coalesce(debits_micros, '{}'), \
            coalesce(paid_messages, '{}'), coalesce(payee_ids, '{}'), \
            coalesce(refunds_micros, '{}'), coalesce(refunded_messages, '{}') \
        FROM (SELECT hour, max(written_at) AS written_at FROM taken GROUP BY hour) AS hours \
        JOIN (counted FULL JOIN paid USING (bucket, hour) FULL JOIN refunded USING (bucket, hour)) \
            USING (hour) \
    ) SELECT count(*) FROM taken";

const COUNT_PLATFORM: &str = "\
    counted_platform AS ( \
        INSERT INTO platform_counters AS counter \
            (day, channel, status, is_sandbox, messages, segments, cost_micros) \
        SELECT (slot AT TIME ZONE 'UTC')::date, channel, status, is_sandbox, sum(messages), \
            sum(segments), sum(cost_micros) \
        FROM change GROUP BY 1, 2, 3, 4 \
        ON CONFLICT (day, channel, status, is_sandbox) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages, \
            segments = counter.segments + EXCLUDED.segments, \
            cost_micros = counter.cost_micros + EXCLUDED.cost_micros \
    )";

/// Campaigns have no rollups: a campaign changes few counts, and they are watched while it is sent.
const COUNT_CAMPAIGNS: &str = "\
    change_of_campaign AS ( \
        SELECT organization_id, campaign_id, status, each.messages, reason, \
            coalesce(cost_micros, 0) AS cost_micros \
        FROM taken CROSS JOIN UNNEST(campaign_organization_ids, campaign_ids, campaign_statuses, \
            campaign_messages, campaign_reasons, campaign_costs_micros) \
            AS each (organization_id, campaign_id, status, messages, reason, cost_micros) \
    ), counted_campaigns AS ( \
        INSERT INTO campaign_counts AS counter \
            (organization_id, campaign_id, status, messages, cost_micros) \
        SELECT organization_id, campaign_id, status, sum(messages), sum(cost_micros) \
        FROM change_of_campaign \
        GROUP BY 1, 2, 3 HAVING sum(messages) <> 0 OR sum(cost_micros) <> 0 \
        ON CONFLICT (organization_id, campaign_id, status) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages, \
            cost_micros = counter.cost_micros + EXCLUDED.cost_micros \
    ), counted_reasons AS ( \
        INSERT INTO campaign_reasons AS counter (organization_id, campaign_id, reason, messages) \
        SELECT organization_id, campaign_id, reason, sum(messages) FROM change_of_campaign \
        WHERE reason IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(messages) <> 0 \
        ON CONFLICT (organization_id, campaign_id, reason) DO UPDATE \
        SET messages = counter.messages + EXCLUDED.messages \
    )";

/// Locked wallets are not waited for: their refunds are written as a line of the journal again.
const MOVE_REFUNDS: &str = "\
    refund AS ( \
        SELECT hour, refund.organization_id, sum(refund.amount_micros)::bigint AS amount_micros, \
            sum(refund.messages)::integer AS messages, max(taken.written_at) AS written_at \
        FROM taken CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages) \
            AS refund (organization_id, amount_micros, messages) \
        GROUP BY 1, 2 \
    ), free AS ( \
        SELECT organization_id FROM wallets \
        WHERE organization_id = ANY(ARRAY(SELECT organization_id FROM refund)) \
        ORDER BY organization_id FOR NO KEY UPDATE SKIP LOCKED \
    ), moved AS ( \
        UPDATE wallets SET balance_micros = wallets.balance_micros + owed.amount_micros, \
            updated_at = greatest(wallets.updated_at, owed.written_at) \
        FROM (SELECT organization_id, sum(amount_micros)::bigint AS amount_micros, \
                max(written_at) AS written_at FROM refund GROUP BY 1) AS owed \
        JOIN free ON free.organization_id = owed.organization_id \
        WHERE wallets.organization_id = ANY(ARRAY[owed.organization_id]) \
        RETURNING wallets.organization_id \
    ), kept AS ( \
        INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, \
            are_sandbox, messages, segments, costs_micros, payer_ids, debits_micros, paid_messages, \
            payee_ids, refunds_micros, refunded_messages) \
        SELECT uuid_v7(clock_timestamp()), max(written_at), '{}', '{}', '{}', '{}', '{}', '{}', '{}', \
            '{}', '{}', '{}', '{}', \
            array_agg(organization_id), array_agg(amount_micros), array_agg(messages) \
        FROM refund WHERE organization_id NOT IN (SELECT organization_id FROM moved) GROUP BY hour \
    )";
