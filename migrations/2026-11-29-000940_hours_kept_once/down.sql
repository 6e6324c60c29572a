CREATE OR REPLACE FUNCTION delivery_log_counts_of(organization uuid)
RETURNS TABLE (span text, starts_at timestamptz, channel text, status text, is_sandbox boolean,
    messages bigint, segments bigint, cost_micros bigint) LANGUAGE sql STABLE AS $$
    SELECT counter.span, counter.starts_at, counter.channel, counter.status, counter.is_sandbox,
        counter.messages, counter.segments, counter.cost_micros
    FROM delivery_log_counters counter
    WHERE counter.organization_id = delivery_log_counts_of.organization
        AND (counter.span = 'DAY' OR counter.starts_at >= hours_kept_since())
    UNION ALL
    SELECT spans.span, date_trunc(spans.span, waiting.slot, 'UTC'), waiting.channel, waiting.status,
        waiting.is_sandbox, waiting.messages, waiting.segments, waiting.cost_micros
    FROM unposted_counts_of(delivery_log_counts_of.organization) AS waiting
    CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span)
    WHERE spans.span = 'DAY' OR waiting.slot >= hours_kept_since()
$$;

CREATE OR REPLACE FUNCTION delivery_log_slot_counts_of(organization uuid)
RETURNS TABLE (starts_at timestamptz, channel text, messages bigint) LANGUAGE sql STABLE AS $$
    SELECT counter.starts_at, counter.channel, counter.messages FROM delivery_log_slots counter
    WHERE counter.organization_id = delivery_log_slot_counts_of.organization
        AND counter.starts_at >= hours_kept_since()
    UNION ALL
    SELECT waiting.slot, waiting.channel, waiting.messages
    FROM unposted_counts_of(delivery_log_slot_counts_of.organization) AS waiting
    WHERE waiting.slot >= hours_kept_since()
$$;
