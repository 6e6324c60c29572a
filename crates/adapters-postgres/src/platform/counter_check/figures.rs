//! Comparison of figures by one property.

/// Compares a day with the messages counted in `logged`, hours and days together: they are added up
/// to show a day, whether or not the hours have been rolled up.
pub(super) const COMPARE_FIGURES: &str = "\
    WITH day AS (SELECT {day}::timestamptz AS since), figure AS ( \
        SELECT organization_id, each.dimension, each.value, true AS is_counted, messages AS sent, \
            CASE WHEN status = 'DELIVERED' THEN messages ELSE 0 END AS delivered, \
            CASE WHEN status = 'FAILED' THEN messages ELSE 0 END AS failed, segments, \
            CASE WHEN status = 'FAILED' THEN 0 ELSE cost_micros END AS cost_micros \
        FROM logged CROSS JOIN LATERAL dimension_values(dimensions) AS each \
        UNION ALL \
        SELECT organization_id, dimension, value, false, sent, delivered, failed, segments, \
            cost_micros \
        FROM message_figures, day \
        WHERE span IN ('HOUR', 'DAY') \
            AND starts_at >= since AND starts_at < since + interval '1 day' \
        UNION ALL \
        SELECT organization_id, dimension, value, false, sent, delivered, failed, segments, \
            cost_micros \
        FROM unposted_days, day WHERE unposted_days.day = since \
    ), each AS ( \
        SELECT organization_id, dimension, value, is_counted, total.* \
        FROM figure CROSS JOIN LATERAL (VALUES ('ACCEPTED', sent, segments, cost_micros), \
            ('DELIVERED', delivered, 0, 0), ('FAILED', failed, 0, 0)) \
            AS total (status, messages, segments, cost_micros) \
    ), compared AS ( \
        SELECT organization_id, dimension, value, status, \
            coalesce(sum(messages) FILTER (WHERE is_counted), 0)::bigint AS counted, \
            coalesce(sum(segments) FILTER (WHERE is_counted), 0)::bigint AS counted_segments, \
            coalesce(sum(cost_micros) FILTER (WHERE is_counted), 0)::bigint AS counted_cost, \
            coalesce(sum(messages) FILTER (WHERE NOT is_counted), 0)::bigint AS kept, \
            coalesce(sum(segments) FILTER (WHERE NOT is_counted), 0)::bigint AS kept_segments, \
            coalesce(sum(cost_micros) FILTER (WHERE NOT is_counted), 0)::bigint AS kept_cost \
        FROM each \
        WHERE organization_id NOT IN ( \
            SELECT organization_id FROM organization_closings WHERE erasing_since IS NOT NULL) \
        GROUP BY 1, 2, 3, 4 \
    ) \
    SELECT 'figures by ' || lower(dimension) || ' ' || value AS what, organization_id, \
        since AS starts_at, NULL::text AS channel, status, false AS is_sandbox, counted, \
        counted_segments, counted_cost, kept, kept_segments, kept_cost, count(*) OVER () AS found \
    FROM compared, day \
    WHERE counted <> kept OR counted_segments <> kept_segments OR counted_cost <> kept_cost \
    ORDER BY 1, 2, 5 LIMIT 20";
