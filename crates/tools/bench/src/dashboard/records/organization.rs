//! Members, keys, money, calls, deliveries and acts of the organization.

/// Statements in their order.
pub(super) const STATEMENTS: [&str; 7] =
    [MEMBERS, KEYS, LEDGER, PAYMENTS, REFUSED_CALLS, DELIVERIES, ACTS];

/// Makes the owner an administrator, who has read the mail of the registration, and inserts two hundred
/// members.
const MEMBERS: &str = "\
    UPDATE users SET platform_role = 'PLATFORM_SUPER_ADMIN', email_verified_at = now() \
    WHERE id IN (SELECT user_id FROM members \
        WHERE organization_id = '$organization' AND role = 'TENANT_OWNER'); \
    WITH registered AS ( \
        INSERT INTO users (id, email, first_name, last_name, password_hash, created_at) \
        SELECT uuid_v7(now()), 'member' || number || '@example.com', 'Esi', 'Owusu', '', now() \
        FROM generate_series(1, 200) AS number RETURNING id) \
    INSERT INTO members (organization_id, user_id, role, joined_at) \
    SELECT '$organization', id, 'VIEWER', now() FROM registered";

/// Inserts keys, each with calls on every day for which they are kept.
const KEYS: &str = "\
    INSERT INTO api_keys (id, organization_id, hash, name, prefix, scopes, is_sandbox, created_at) \
    SELECT uuid_v7_in(now(), '$organization'), '$organization', sha256(('shop ' || number)::bytea), \
        'Shop ' || number, 'ak_live_shop', ARRAY['messages:send'], false, now() \
    FROM generate_series(1, 20) AS number; \
    INSERT INTO api_key_calls (organization_id, key_id, day, accepted, refused) \
    SELECT organization_id, id, day::date, 10000, 100 \
    FROM api_keys, generate_series(current_date - 30, current_date, interval '1 day') AS day \
    WHERE organization_id = '$organization'";

/// Inserts the ledger of two years: one in a hundred movements is a top-up, and one a refund. Its hashes
/// are no chain: triggers would chain a million entries one after another.
const LEDGER: &str = "\
    SELECT prepare_month('ledger_entries', ahead) FROM generate_series(-24, -1) AS ahead; \
    SET session_replication_role = replica; \
    INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, reference, \
        created_at, contra_account, sequence, hash) \
    SELECT uuid_v7_in(at, '$organization'), '$organization', kind, \
        CASE kind WHEN 'TOP_UP' THEN 35000000 WHEN 'MESSAGE_REFUND' THEN 35000 ELSE -350000 END, \
        CASE kind WHEN 'TOP_UP' THEN 0 WHEN 'MESSAGE_REFUND' THEN 1 ELSE 10 END, \
        CASE kind WHEN 'TOP_UP' \
            THEN 'topup-' || md5(number::text) || right('$organization', 3) END, \
        at, ledger_account(kind), last + number, sha256(number::text::bytea) \
    FROM (SELECT number, now() - ($entries - number) * (interval '730 days' / $entries) AS at, \
            CASE number % 100 WHEN 0 THEN 'TOP_UP' WHEN 1 THEN 'MESSAGE_REFUND' \
                ELSE 'MESSAGE_DEBIT' END AS kind \
        FROM generate_series(1, $entries) AS number) AS movements, \
        (SELECT coalesce(max(sequence), 0) AS last FROM ledger_heads \
            WHERE organization_id = '$organization') AS head; \
    INSERT INTO ledger_heads (organization_id, sequence, hash) \
    SELECT organization_id, sequence, hash FROM ledger_entries \
    WHERE organization_id = '$organization' ORDER BY sequence DESC LIMIT 1 \
    ON CONFLICT (organization_id) DO UPDATE SET sequence = EXCLUDED.sequence, hash = EXCLUDED.hash; \
    UPDATE wallets SET balance_micros = balance_micros + ( \
        SELECT sum(amount_micros)::bigint FROM ledger_entries \
        WHERE organization_id = '$organization' AND kind <> 'TRIAL_CREDIT') \
    WHERE organization_id = '$organization'; \
    RESET session_replication_role";

/// Inserts the top-ups of the ledger, unpaid ones, and paid invoices.
const PAYMENTS: &str = "\
    INSERT INTO wallet_credits (organization_id, id, kind, reference, amount_micros, created_at, \
        is_entered) \
    SELECT organization_id, id, kind, reference, amount_micros, created_at, true \
    FROM ledger_entries WHERE organization_id = '$organization' AND kind = 'TOP_UP'; \
    INSERT INTO top_ups (organization_id, id, reference, amount_micros, method, status, requested_by, \
        created_at, credited_at) \
    SELECT organization_id, id, reference, amount_micros, 'card', 'CREDITED', gen_random_uuid(), \
        created_at, created_at \
    FROM wallet_credits WHERE organization_id = '$organization' AND kind = 'TOP_UP'; \
    INSERT INTO top_ups (organization_id, id, reference, amount_micros, method, status, requested_by, \
        created_at) \
    SELECT organization_id, uuid_v7_in(created_at, organization_id), \
        'topup-' || md5(reference) || right(organization_id::text, 3), amount_micros, \
        'mobile_money', 'FAILED', requested_by, created_at \
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS number FROM top_ups \
        WHERE organization_id = '$organization') AS paid WHERE number % 10 = 0; \
    INSERT INTO invoices (organization_id, id, number, kind, status, amount_micros, issued_at, due_at, \
        paid_at) \
    SELECT '$organization', uuid_v7_in(at, '$organization'), number, 'TOP_UP', 'PAID', 1200000000, at, \
        at + interval '14 days', at + interval '7 days' \
    FROM (SELECT number, now() - interval '30 days' - ($invoices - number) * \
            (interval '700 days' / $invoices) AS at \
        FROM generate_series(1, $invoices) AS number) AS issued; \
    INSERT INTO invoice_numbers (organization_id, last_number) VALUES ('$organization', $invoices) \
    ON CONFLICT (organization_id) DO UPDATE SET last_number = EXCLUDED.last_number";

/// Inserts refused calls of six days: every second one was made with the key that sends.
const REFUSED_CALLS: &str = "\
    INSERT INTO refused_calls (organization_id, call_id, request_id, method, path, status, code, \
        message, api_key_id, address, is_sampled, at) \
    SELECT '$organization', uuid_v7_in(at, '$organization'), 'request-' || number, 'POST', \
        '/messages/send', CASE WHEN is_poor THEN 402 ELSE 400 END, \
        CASE WHEN is_poor THEN 'INSUFFICIENT_BALANCE' ELSE 'VALIDATION_ERROR' END, \
        CASE WHEN is_poor THEN 'the balance is too low' ELSE 'the request is invalid' END, \
        CASE WHEN number % 2 = 0 THEN key END, '192.0.2.1', false, at \
    FROM (SELECT number, number % 50 = 0 AS is_poor, \
            now() - ($calls - number) * (interval '6 days' / $calls) AS at \
        FROM generate_series(1, $calls) AS number) AS calls, \
        (SELECT id AS key FROM api_keys \
            WHERE organization_id = '$organization' AND name = 'live') AS keys";

/// Inserts events of a month that were delivered to the endpoint: one in fifty failed for good.
const DELIVERIES: &str = "\
    WITH published AS ( \
        INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at) \
        SELECT '$organization', uuid_v7_in(at, '$organization'), 'message.status.updated', message, \
            json_build_object('id', message, 'status', 'DELIVERED', 'channel', 'SMS', \
                'recipient', '+233240000001', 'body', 'Your parcel has arrived at Makola.')::text, at \
        FROM (SELECT gen_random_uuid() AS message, \
                now() - ($deliveries - number) * (interval '27 days' / $deliveries) AS at \
            FROM generate_series(1, $deliveries) AS number) AS messages \
        RETURNING organization_id, id, created_at \
    ), attempted AS ( \
        SELECT *, row_number() OVER (ORDER BY id) % 50 = 0 AS is_failed FROM published) \
    INSERT INTO webhook_deliveries (organization_id, endpoint_id, id, status, due_at, attempts, \
        attempted_at, status_code, took_millis) \
    SELECT organization_id, endpoint.id, attempted.id, \
        CASE WHEN is_failed THEN 'FAILED' ELSE 'DELIVERED' END, NULL, \
        CASE WHEN is_failed THEN 8 ELSE 1 END, attempted.created_at, \
        CASE WHEN is_failed THEN 503 ELSE 204 END, 12 \
    FROM attempted JOIN webhook_endpoints AS endpoint USING (organization_id)";

/// Inserts acts of two years of the owner: one in a thousand is an invitation, and the others change the
/// role of a member. Their hashes are no chain either.
const ACTS: &str = "\
    SET session_replication_role = replica; \
    INSERT INTO audit_log (id, organization_id, at, user_id, action, resource_type, resource_id, \
        details, sequence, hash) \
    SELECT uuid_v7_in(at, '$organization'), '$organization', at, owner, \
        CASE WHEN is_invitation THEN 'invitation.created' ELSE 'member.role_changed' END, \
        CASE WHEN is_invitation THEN 'INVITATION' ELSE 'MEMBER' END, member, \
        CASE WHEN is_invitation THEN '{\"email\": \"esi@example.com\", \"role\": \"VIEWER\"}' \
            ELSE jsonb_build_object('userId', member, 'previousRole', 'VIEWER', 'role', 'DEVELOPER') \
            END, last + number, sha256(number::text::bytea) \
    FROM (SELECT number, number % 1000 = 500 AS is_invitation, \
            now() - ($acts - number) * (interval '730 days' / $acts) AS at \
        FROM generate_series(1, $acts) AS number) AS acts, \
        (SELECT user_id AS owner FROM members \
            WHERE organization_id = '$organization' AND role = 'TENANT_OWNER') AS owners, \
        (SELECT user_id AS member FROM members \
            WHERE organization_id = '$organization' AND role = 'VIEWER' LIMIT 1) AS others, \
        (SELECT coalesce(max(sequence), 0) AS last FROM audit_heads \
            WHERE organization_id = '$organization') AS head; \
    RESET session_replication_role";
