//! Records of all organizations, which administrators of the platform look at.

/// Statements in their order.
pub(super) const STATEMENTS: [&str; 4] = [ACTS, MESSAGES, DECISIONS, HEALTH];

/// Inserts ten acts on each of the other organizations, and the ends of all chains.
const ACTS: &str = "\
    SET session_replication_role = replica; \
    INSERT INTO audit_log (id, organization_id, at, user_id, action, resource_type, resource_id, \
        details, sequence, hash) \
    SELECT uuid_v7_in(at, id), id, at, administrator, 'approval.approved', 'TEMPLATE', \
        gen_random_uuid(), '{\"name\": \"Parcel\", \"riskScore\": \"10\"}', number, \
        sha256(number::text::bytea) \
    FROM (SELECT id, number, now() - ((11 - number) * 60 + random() * 50) * interval '1 day' AS at \
        FROM organizations, generate_series(1, 10) AS number \
        WHERE name LIKE 'Kente %' AND id <> '$organization') AS acts, \
        (SELECT id AS administrator FROM users WHERE platform_role IS NOT NULL LIMIT 1) AS users; \
    INSERT INTO audit_heads (organization_id, sequence, hash, at) \
    SELECT DISTINCT ON (organization_id) organization_id, sequence, hash, at FROM audit_log \
    ORDER BY organization_id, sequence DESC \
    ON CONFLICT (organization_id) DO UPDATE SET sequence = EXCLUDED.sequence, hash = EXCLUDED.hash, \
        at = greatest(audit_heads.at, EXCLUDED.at); \
    RESET session_replication_role";

/// Inserts the counts of a year of messages.
const MESSAGES: &str = "\
    INSERT INTO platform_counters (day, channel, status, is_sandbox, messages, segments, cost_micros) \
    SELECT day, channel, status, is_sandbox, 100000, 120000, 4200000000 \
    FROM generate_series(current_date - 366, current_date, interval '1 day') AS day, \
        unnest(ARRAY['SMS', 'WHATSAPP', 'EMAIL', 'PUSH', 'VOICE']) AS channel, \
        unnest(ARRAY['QUEUED', 'PENDING', 'SENT', 'DELIVERED', 'FAILED']) AS status, \
        unnest(ARRAY[true, false]) AS is_sandbox \
    ON CONFLICT DO NOTHING";

/// Inserts for one in ten organizations two prices, a text that waits for approval, and two payment
/// exceptions, and suspends one in a hundred.
const DECISIONS: &str = "\
    CREATE TEMP TABLE tenth AS \
        SELECT id, name FROM organizations WHERE name LIKE 'Kente %0' AND id <> '$organization'; \
    INSERT INTO pricing_rules (id, organization_id, channel, country_code, unit_price_micros, \
        is_active, created_at, ended_at) \
    SELECT uuid_v7(now()), id, 'SMS', 'NG', 50000, is_active, now(), \
        CASE WHEN NOT is_active THEN now() END \
    FROM tenth, unnest(ARRAY[true, false]) AS is_active; \
    INSERT INTO approvals (id, organization_id, kind, resource_id, name, body, content_hash, \
        risk_score, issues, requested_by, authors, requested_at) \
    SELECT uuid_v7_in(now(), id), id, 'TEMPLATE', gen_random_uuid(), 'Parcel', \
        'Your parcel has arrived at Makola.', sha256(name::bytea), 10, '[]', gen_random_uuid(), '{}', \
        now() \
    FROM tenth; \
    INSERT INTO payment_exceptions (id, reference, reason, amount_micros, currency, organization_id, \
        noticed_at, resolved_at, resolved_by, comment) \
    SELECT uuid_v7(now()), 'lost-' || is_open || '-' || id, 'AMOUNT_TOO_SMALL', 45500000, 'GHS', id, \
        now(), CASE WHEN NOT is_open THEN now() END, CASE WHEN NOT is_open THEN id END, \
        CASE WHEN NOT is_open THEN 'credited' END \
    FROM tenth, unnest(ARRAY[true, false]) AS is_open; \
    UPDATE organizations SET suspended_at = now(), suspension_reason = 'its messages are fraudulent' \
    WHERE id IN (SELECT id FROM tenth WHERE name LIKE '%00'); \
    INSERT INTO webhook_endpoints (organization_id, id, url, secret, begins_at, failing_since, \
        notified_at, created_at) \
    SELECT id, uuid_v7_in(now(), id), 'https://example.com/events', 'whsec_bench', now(), \
        now() - interval '1 day', now(), now() \
    FROM tenth WHERE name LIKE '%50'";

/// Inserts a check of each provider in every five minutes of ninety days: one in a hundred failed.
const HEALTH: &str = "\
    INSERT INTO provider_health (id, provider_id, event, status, message, latency_ms, at) \
    SELECT uuid_v7(at), id, 'CHECK', CASE WHEN is_up THEN 'UP' ELSE 'DOWN' END, \
        CASE WHEN is_up THEN 'it answers' ELSE 'it does not answer' END, 20, at \
    FROM (SELECT number % 100 <> 0 AS is_up, now() - number * interval '5 minutes' AS at \
        FROM generate_series(1, 25900) AS number) AS checks, providers";
