-- Properties of live messages of a journal line, beside their channel and status: country, provider,
-- error code, campaign, template and event, with | between them, and nothing after the last one that there
-- is. NULL for the sandbox, and for lines of versions that do not know the column.
ALTER TABLE journal ADD COLUMN dimensions text[] NOT NULL DEFAULT '{}';
ALTER TABLE journal_rollups ADD COLUMN dimensions text[] NOT NULL DEFAULT '{}';

-- Returns the dimensions in such a text, with their values. Only a provider may be missing: the empty text
-- stands for messages that no provider has taken.
CREATE FUNCTION dimension_values(dimensions text)
RETURNS TABLE (dimension text, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT part.dimension, split_part(dimension_values.dimensions, '|', part.place)
    FROM (VALUES ('COUNTRY', 1), ('PROVIDER', 2), ('ERROR_CODE', 3), ('CAMPAIGN', 4), ('TEMPLATE', 5),
        ('EVENT', 6)) AS part (dimension, place)
    WHERE dimension_values.dimensions IS NOT NULL
        AND (part.place = 2 OR split_part(dimension_values.dimensions, '|', part.place) <> '')
$$;

-- Returns the time since which figures of hours are kept. Older messages are counted by the day.
CREATE FUNCTION figure_hours_kept_since() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc('day', now() - interval '15 days', 'UTC')
$$;

-- Number of live messages by the hour of their acceptance and one dimension; of older ones by the day.
CREATE TABLE message_figures (
    organization_id uuid        NOT NULL,
    dimension       text        NOT NULL,
    starts_at       timestamptz NOT NULL,
    span            text        NOT NULL CHECK (span IN ('HOUR', 'DAY')),
    value           text        NOT NULL,
    -- Messages in any state, and those that have ended.
    sent            bigint      NOT NULL,
    delivered       bigint      NOT NULL,
    failed          bigint      NOT NULL,
    segments        bigint      NOT NULL,
    -- Amount that was not refunded.
    cost_micros     bigint      NOT NULL,
    PRIMARY KEY (organization_id, dimension, starts_at, span, value)
) WITH (fillfactor = 50);
-- The purge, and the roll-up of hours into days.
CREATE INDEX message_figures_start ON message_figures (span, starts_at);
COMMENT ON TABLE message_figures IS 'tenant';

-- Figures of all organizations that are not posted yet.
CREATE VIEW unposted_figures AS
    SELECT line.organization_id, line.slot, each.dimension, each.value, line.messages AS sent,
        CASE line.status WHEN 'DELIVERED' THEN line.messages ELSE 0 END AS delivered,
        CASE line.status WHEN 'FAILED' THEN line.messages ELSE 0 END AS failed,
        line.segments,
        CASE line.status WHEN 'FAILED' THEN 0 ELSE line.cost_micros END AS cost_micros
    FROM (SELECT organization_ids, slots, statuses, messages, segments, costs_micros, dimensions
        FROM journal_rollups
        UNION ALL
        SELECT organization_ids, slots, statuses, messages, segments, costs_micros, dimensions
        FROM journal) AS waiting
    CROSS JOIN UNNEST(organization_ids, slots, statuses, messages, segments, costs_micros, dimensions)
        AS line (organization_id, slot, status, messages, segments, cost_micros, dimensions)
    CROSS JOIN LATERAL dimension_values(line.dimensions) AS each;

-- Returns the same for one organization. Only lines and rollups that contain it are expanded.
CREATE FUNCTION unposted_figures_of(organization uuid)
RETURNS TABLE (slot timestamptz, dimension text, value text, sent bigint, delivered bigint, failed bigint,
    segments bigint, cost_micros bigint) LANGUAGE sql STABLE AS $$
    SELECT line.slot, each.dimension, each.value, line.messages,
        CASE line.status WHEN 'DELIVERED' THEN line.messages ELSE 0 END,
        CASE line.status WHEN 'FAILED' THEN line.messages ELSE 0 END,
        line.segments,
        CASE line.status WHEN 'FAILED' THEN 0 ELSE line.cost_micros END
    FROM (SELECT organization_ids, slots, statuses, messages, segments, costs_micros, dimensions
        FROM journal_rollups
        WHERE bucket = journal_bucket(unposted_figures_of.organization)
            AND unposted_figures_of.organization = ANY(organization_ids)
        UNION ALL
        SELECT organization_ids, slots, statuses, messages, segments, costs_micros, dimensions
        FROM journal
        WHERE unposted_figures_of.organization = ANY(organization_ids)) AS waiting
    CROSS JOIN UNNEST(organization_ids, slots, statuses, messages, segments, costs_micros, dimensions)
        AS line (organization_id, slot, status, messages, segments, cost_micros, dimensions)
    CROSS JOIN LATERAL dimension_values(line.dimensions) AS each
    WHERE line.organization_id = unposted_figures_of.organization
$$;

-- Returns the figures of an organization by one dimension, with those that are not posted yet.
CREATE FUNCTION message_figures_of(organization uuid, dimension text)
RETURNS TABLE (starts_at timestamptz, value text, sent bigint, delivered bigint, failed bigint,
    segments bigint, cost_micros bigint) LANGUAGE sql STABLE AS $$
    SELECT figure.starts_at, figure.value, figure.sent, figure.delivered, figure.failed,
        figure.segments, figure.cost_micros
    FROM message_figures figure
    WHERE figure.organization_id = message_figures_of.organization
        AND figure.dimension = message_figures_of.dimension
    UNION ALL
    SELECT waiting.slot, waiting.value, waiting.sent, waiting.delivered, waiting.failed,
        waiting.segments, waiting.cost_micros
    FROM unposted_figures_of(message_figures_of.organization) AS waiting
    WHERE waiting.dimension = message_figures_of.dimension
$$;

-- Nothing has been released yet, so the log is small, and its messages are counted here. What waits in the
-- journal has changed the log already, and counts nothing for lack of dimensions.
INSERT INTO message_figures
SELECT log.organization_id, each.dimension, date_trunc(log.span, log.created_at, 'UTC'), log.span,
    each.value, count(*), count(*) FILTER (WHERE log.status = 'DELIVERED'),
    count(*) FILTER (WHERE log.status = 'FAILED'), sum(log.segments),
    coalesce(sum(log.cost_micros) FILTER (WHERE log.status <> 'FAILED'), 0)
FROM (SELECT organization_id, created_at, status, segments, cost_micros,
        CASE WHEN created_at >= figure_hours_kept_since() THEN 'HOUR' ELSE 'DAY' END AS span,
        concat_ws('|', CASE WHEN channel IN ('SMS', 'WHATSAPP', 'VOICE') THEN country_code ELSE '' END,
            CASE WHEN status IN ('SENT', 'DELIVERED', 'FAILED')
                THEN coalesce(provider, attempts -> -1 ->> 'provider', '') ELSE '' END,
            CASE WHEN status = 'FAILED' THEN coalesce(error_code, '') ELSE '' END,
            coalesce(campaign_id::text, ''), coalesce(template_id::text, ''), coalesce(event, ''))
            AS dimensions
    FROM delivery_logs
    WHERE NOT is_sandbox AND created_at >= date_trunc('day', now() - interval '25 months', 'UTC')) AS log
CROSS JOIN LATERAL dimension_values(log.dimensions) AS each
GROUP BY 1, 2, 3, 4, 5;
