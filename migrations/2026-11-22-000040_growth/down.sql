DROP INDEX delivery_logs_sandbox, provider_minutes_minute, provider_health_at, conversations_written,
    sessions_heard, login_attempts_window, password_reset_tokens_expiry, delivery_log_slots_start;

DROP FUNCTION prepare_delivery_logs_month(integer);
CREATE FUNCTION prepare_delivery_logs(months integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    first timestamptz := date_trunc('month', now(), 'UTC');
    since timestamptz;
    until timestamptz;
    partition text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('prepare_delivery_logs'));
    FOR ahead IN 0..months LOOP
        since := (first AT TIME ZONE 'UTC' + make_interval(months => ahead)) AT TIME ZONE 'UTC';
        until := (first AT TIME ZONE 'UTC' + make_interval(months => ahead + 1)) AT TIME ZONE 'UTC';
        partition := 'delivery_logs_' || to_char(since AT TIME ZONE 'UTC', 'YYYY_MM');
        IF to_regclass(partition) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF delivery_logs FOR VALUES FROM (%L) TO (%L) WITH (fillfactor = 50)',
                partition, uuid_floor(since), uuid_floor(until));
        END IF;
    END LOOP;
END $$;

DROP VIEW wallet_balances;
UPDATE wallets SET balance_micros = balance_micros + refund.amount_micros
    FROM (SELECT refund.organization_id, sum(refund.amount_micros)::bigint AS amount_micros
          FROM journal CROSS JOIN UNNEST(payee_ids, refunds_micros)
              AS refund (organization_id, amount_micros)
          GROUP BY refund.organization_id) AS refund
    WHERE wallets.organization_id = refund.organization_id;
INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, created_at)
    SELECT journal.id, refund.organization_id, 'MESSAGE_REFUND', refund.amount_micros,
        refund.messages, journal.written_at
    FROM journal CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages)
        AS refund (organization_id, amount_micros, messages);
DROP VIEW ledger;
ALTER TABLE journal DROP COLUMN payee_ids, DROP COLUMN refunds_micros,
    DROP COLUMN refunded_messages;
CREATE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
    UNION ALL
    SELECT journal.id, paid.organization_id, 'MESSAGE_DEBIT', paid.amount_micros, paid.messages,
        NULL, journal.written_at
    FROM journal
    CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages)
        AS paid (organization_id, amount_micros, messages);
