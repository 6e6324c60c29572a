//! Statements that recount everything that has counters.

/// Journal rows that wait to be posted, read once, and tables for the fresh counts.
pub(super) const PREPARE: &str = "\
    CREATE TEMPORARY TABLE unposted ON COMMIT DROP AS \
        SELECT organization_id, slot, channel, status, is_sandbox, sum(messages) AS messages, \
            sum(segments) AS segments, sum(cost_micros) AS cost_micros \
        FROM unposted_counts GROUP BY 1, 2, 3, 4, 5; \
    CREATE TEMPORARY TABLE platform ON COMMIT DROP AS \
        SELECT day, channel, status, is_sandbox, sum(messages) AS messages, \
            sum(segments) AS segments, sum(cost_micros) AS cost_micros \
        FROM platform_counts GROUP BY 1, 2, 3, 4; \
    CREATE TEMPORARY TABLE logged (organization_id uuid, slot timestamptz, channel text, status text, \
        is_sandbox boolean, campaign_id uuid, messages bigint, segments bigint, cost_micros bigint, \
        reason text, dimensions text) ON COMMIT DROP; \
    CREATE TEMPORARY TABLE unposted_days ON COMMIT DROP AS \
        SELECT organization_id, date_trunc('day', slot, 'UTC') AS day, dimension, value, \
            sum(sent) AS sent, sum(delivered) AS delivered, sum(failed) AS failed, \
            sum(segments) AS segments, sum(cost_micros) AS cost_micros \
        FROM unposted_figures GROUP BY 1, 2, 3, 4; \
    CREATE TEMPORARY TABLE logged_of_campaigns (organization_id uuid, campaign_id uuid, status text, \
        reason text, messages bigint, cost_micros bigint) ON COMMIT DROP; \
    CREATE TEMPORARY TABLE days_without_log (day timestamptz) ON COMMIT DROP";

/// Counters are kept for 25 months; older days are not compared.
pub(super) const NEXT_DAY: &str = "\
    SELECT date_trunc('day', least( \
        (SELECT starts_at FROM delivery_log_counters \
            WHERE span = 'DAY' AND starts_at >= first.day ORDER BY starts_at LIMIT 1), \
        (SELECT created_at FROM delivery_logs \
            WHERE id >= uuid_floor(first.day) ORDER BY id LIMIT 1), \
        (SELECT min(slot) FROM unposted WHERE slot >= first.day), \
        (SELECT min(day)::timestamp AT TIME ZONE 'UTC' FROM platform \
            WHERE day >= (first.day AT TIME ZONE 'UTC')::date)), 'UTC') \
    FROM (SELECT greatest(after.day + interval '1 day', \
            date_trunc('day', now() - interval '25 months', 'UTC')) AS day \
        FROM (SELECT {after}::timestamptz AS day) AS after) AS first";

/// Counts the log of a day. A dropped month has no log, whether dropped by the retention or by
/// hand. An erased organization has none either: its daily counters stand for it.
pub(super) const FILL_DAY: &str = "\
    WITH counted AS ( \
        INSERT INTO logged \
        SELECT organization_id, date_trunc('minute', created_at, 'UTC'), channel, status, is_sandbox, \
            campaign_id, count(*), sum(segments), sum(cost_micros), \
            CASE WHEN campaign_id IS NOT NULL AND status = 'FAILED' THEN error_code END, \
            CASE WHEN NOT is_sandbox THEN concat_ws('|', \
                CASE WHEN channel IN ('SMS', 'WHATSAPP', 'VOICE') THEN country_code ELSE '' END, \
                CASE WHEN status IN ('SENT', 'DELIVERED', 'FAILED') \
                    THEN coalesce(provider, attempts -> -1 ->> 'provider', '') ELSE '' END, \
                CASE WHEN status = 'FAILED' THEN coalesce(error_code, '') ELSE '' END, \
                coalesce(campaign_id::text, ''), coalesce(template_id::text, ''), \
                coalesce(event, '')) END \
        FROM delivery_logs \
        WHERE id >= uuid_floor({day}) AND id < uuid_floor({day}::timestamptz + interval '1 day') \
            AND id >= (SELECT uuid_floor(kept_since) FROM delivery_log_retention) \
            AND organization_id NOT IN (SELECT organization_id FROM organization_closings \
                WHERE erasing_since IS NOT NULL) \
        GROUP BY 1, 2, 3, 4, 5, 6, 10, 11 \
        RETURNING * \
    ), erased AS ( \
        INSERT INTO logged \
        SELECT organization_id, starts_at, channel, status, is_sandbox, NULL, messages, segments, \
            cost_micros, NULL \
        FROM delivery_log_counters \
        WHERE span = 'DAY' AND starts_at = {day} \
            AND starts_at >= (SELECT kept_since FROM delivery_log_retention) \
            AND (EXISTS (SELECT FROM counted) \
                OR to_regclass('delivery_logs_' \
                    || to_char(starts_at AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL) \
            AND organization_id IN (SELECT organization_id FROM organization_closings \
                WHERE erasing_since IS NOT NULL) \
    ), of_campaigns AS ( \
        INSERT INTO logged_of_campaigns \
        SELECT organization_id, campaign_id, status, reason, sum(messages), sum(cost_micros) \
        FROM counted WHERE campaign_id IS NOT NULL GROUP BY 1, 2, 3, 4 \
    ), kept AS ( \
        SELECT day, coalesce(sum(messages), 0)::bigint AS messages, \
            to_regclass('delivery_logs_' || to_char(day AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL \
                AND day >= (SELECT kept_since FROM delivery_log_retention) AS has_log \
        FROM (SELECT {day}::timestamptz AS day) AS asked LEFT JOIN counted ON true GROUP BY day \
    ), without_log AS ( \
        INSERT INTO days_without_log SELECT day FROM kept WHERE messages = 0 AND NOT has_log \
    ) SELECT messages, has_log FROM kept";

/// Compares hours and minutes only as far as they are stored.
pub(super) const COMPARE_DAY: &str = "\
    WITH day AS NOT MATERIALIZED ( \
        SELECT since, since + interval '1 day' AS until, since >= hours_kept_since() AS has_hours, date \
        FROM (SELECT {day}::timestamptz AS since, {date}::date AS date) AS asked \
    ), counters AS ( \
        SELECT organization_id, span, starts_at, channel, status, is_sandbox, messages, segments, \
            cost_micros \
        FROM delivery_log_counters, day \
        WHERE span IN ('DAY', 'HOUR') AND starts_at >= since AND starts_at < until \
            AND (span = 'DAY' OR has_hours) \
        UNION ALL \
        SELECT organization_id, span, date_trunc(span, slot, 'UTC'), channel, status, is_sandbox, \
            messages, segments, cost_micros \
        FROM unposted CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span), day \
        WHERE slot >= since AND slot < until AND (span = 'DAY' OR has_hours) \
    ), minutes AS ( \
        SELECT organization_id, starts_at, channel, messages FROM delivery_log_slots, day \
        WHERE starts_at >= since AND starts_at < until AND has_hours \
        UNION ALL \
        SELECT organization_id, slot, channel, messages FROM unposted, day \
        WHERE slot >= since AND slot < until AND has_hours \
    ), each AS ( \
        SELECT lower(span) AS what, organization_id, date_trunc(span, slot, 'UTC') AS starts_at, channel, \
            status, is_sandbox, messages AS counted, segments AS counted_segments, \
            cost_micros AS counted_cost, 0 AS kept, 0 AS kept_segments, 0 AS kept_cost \
        FROM logged CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span), day \
        WHERE span = 'DAY' OR has_hours \
        UNION ALL \
        SELECT lower(span), organization_id, starts_at, channel, status, is_sandbox, 0, 0, 0, messages, \
            segments, cost_micros \
        FROM counters \
        UNION ALL \
        SELECT 'minute', organization_id, slot, channel, NULL, false, messages, 0, 0, 0, 0, 0 \
        FROM logged, day WHERE has_hours \
        UNION ALL \
        SELECT 'minute', organization_id, starts_at, channel, NULL, false, 0, 0, 0, messages, 0, 0 \
        FROM minutes \
        UNION ALL \
        SELECT 'day', NULL, since, channel, status, is_sandbox, messages, segments, cost_micros, 0, 0, 0 \
        FROM logged, day \
        UNION ALL \
        SELECT 'day', NULL, since, channel, status, is_sandbox, 0, 0, 0, messages, segments, cost_micros \
        FROM platform, day WHERE platform.day = day.date \
    ) \
    SELECT what, organization_id, starts_at, channel, status, is_sandbox, \
        sum(counted)::bigint AS counted, sum(counted_segments)::bigint AS counted_segments, \
        sum(counted_cost)::bigint AS counted_cost, sum(kept)::bigint AS kept, \
        sum(kept_segments)::bigint AS kept_segments, sum(kept_cost)::bigint AS kept_cost, \
        count(*) OVER () AS found \
    FROM each \
    WHERE organization_id IS NULL OR organization_id NOT IN ( \
        SELECT organization_id FROM organization_closings WHERE erasing_since IS NOT NULL) \
    GROUP BY 1, 2, 3, 4, 5, 6 \
    HAVING sum(counted) <> sum(kept) OR sum(counted_segments) <> sum(kept_segments) \
        OR sum(counted_cost) <> sum(kept_cost) \
    ORDER BY 1, 3, 2, 4, 5, 6 LIMIT 20";

/// Compares campaigns that still exist, and began when all days had their log. The messages of a
/// rehearsed one are deleted after a week.
pub(super) const COMPARE_CAMPAIGNS: &str = "\
    WITH waiting AS ( \
        SELECT line.organization_id, line.campaign_id, line.status, line.reason, line.messages, \
            coalesce(line.cost_micros, 0) AS cost_micros \
        FROM journal CROSS JOIN UNNEST(campaign_organization_ids, campaign_ids, campaign_statuses, \
            campaign_messages, campaign_reasons, campaign_costs_micros) \
            AS line (organization_id, campaign_id, status, messages, reason, cost_micros) \
    ), each AS ( \
        SELECT organization_id, campaign_id, status, messages AS counted, \
            cost_micros AS counted_cost, 0 AS kept, 0 AS kept_cost \
        FROM logged_of_campaigns \
        UNION ALL \
        SELECT organization_id, campaign_id, status, 0, 0, messages, cost_micros \
        FROM campaign_counts \
        UNION ALL \
        SELECT organization_id, campaign_id, status, 0, 0, messages, cost_micros FROM waiting \
        UNION ALL \
        SELECT organization_id, campaign_id, status || ' ' || reason, messages, 0, 0, 0 \
        FROM logged_of_campaigns WHERE reason IS NOT NULL \
        UNION ALL \
        SELECT organization_id, campaign_id, 'FAILED ' || reason, 0, 0, messages, 0 \
        FROM campaign_reasons \
        UNION ALL \
        SELECT organization_id, campaign_id, status || ' ' || reason, 0, 0, messages, 0 \
        FROM waiting WHERE reason IS NOT NULL \
    ) \
    SELECT 'campaign ' || campaign_id AS what, organization_id, NULL::timestamptz AS starts_at, \
        NULL AS channel, status, false AS is_sandbox, \
        sum(counted)::bigint AS counted, 0::bigint AS counted_segments, \
        sum(counted_cost)::bigint AS counted_cost, sum(kept)::bigint AS kept, \
        0::bigint AS kept_segments, sum(kept_cost)::bigint AS kept_cost, \
        count(*) OVER () AS found \
    FROM each \
    WHERE (organization_id, campaign_id) IN ( \
            SELECT organization_id, id FROM campaigns WHERE NOT is_sandbox) \
        AND campaign_id >= uuid_floor(greatest( \
            date_trunc('day', now() - interval '25 months', 'UTC'), \
            (SELECT max(day) + interval '1 day' FROM days_without_log))) \
        AND organization_id NOT IN ( \
            SELECT organization_id FROM organization_closings WHERE erasing_since IS NOT NULL) \
    GROUP BY organization_id, campaign_id, status \
    HAVING sum(counted) <> sum(kept) OR sum(counted_cost) <> sum(kept_cost) \
    ORDER BY 2, 1, 5 LIMIT 20";

/// Compares the totals of lists, which triggers of the database maintain.
pub(super) const COMPARE_TOTALS: &str = "\
    WITH each AS ( \
        SELECT 'contacts' AS what, organization_id, count(*) AS counted, 0 AS kept \
        FROM contacts GROUP BY 2 \
        UNION ALL SELECT 'contacts', organization_id, 0, contacts FROM contact_counts \
        UNION ALL \
        SELECT 'blocks of contacts', organization_id, count(*), 0 FROM contacts GROUP BY 2 \
        UNION ALL SELECT 'blocks of contacts', organization_id, 0, contacts FROM contact_blocks \
        UNION ALL \
        SELECT 'suppressions', organization_id, count(*), 0 FROM suppressions GROUP BY 2 \
        UNION ALL SELECT 'suppressions', organization_id, 0, entries FROM suppression_counts \
        UNION ALL \
        SELECT 'templates', organization_id, count(*), 0 FROM templates \
        WHERE deleted_at IS NULL GROUP BY 2 \
        UNION ALL SELECT 'templates', organization_id, 0, templates FROM template_counts \
    ) \
    SELECT what, organization_id, NULL::timestamptz AS starts_at, NULL AS channel, \
        NULL AS status, false AS is_sandbox, \
        sum(counted)::bigint AS counted, 0::bigint AS counted_segments, 0::bigint AS counted_cost, \
        sum(kept)::bigint AS kept, 0::bigint AS kept_segments, 0::bigint AS kept_cost, \
        count(*) OVER () AS found \
    FROM each \
    WHERE organization_id NOT IN ( \
        SELECT organization_id FROM organization_closings WHERE erasing_since IS NOT NULL) \
    GROUP BY 1, 2 HAVING sum(counted) <> sum(kept) ORDER BY 1, 2 LIMIT 20";
