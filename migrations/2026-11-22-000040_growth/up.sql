-- Refunds ---------------------------------------------------------------------------------------

-- Refunds are lines of the journal first, as debits are, so that whoever moves messages on needs no
-- wallet: one that is locked would hold all others up.
ALTER TABLE journal
    ADD COLUMN payee_ids         uuid[]    NOT NULL DEFAULT '{}',
    ADD COLUMN refunds_micros    bigint[]  NOT NULL DEFAULT '{}',
    ADD COLUMN refunded_messages integer[] NOT NULL DEFAULT '{}';

CREATE OR REPLACE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
    UNION ALL
    SELECT journal.id, paid.organization_id, 'MESSAGE_DEBIT', paid.amount_micros, paid.messages,
        NULL, journal.written_at
    FROM journal
    CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages)
        AS paid (organization_id, amount_micros, messages)
    UNION ALL
    SELECT journal.id, refund.organization_id, 'MESSAGE_REFUND', refund.amount_micros,
        refund.messages, NULL, journal.written_at
    FROM journal
    CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages)
        AS refund (organization_id, amount_micros, messages);

-- What organizations have: their wallets, and the refunds that are not posted to them yet.
CREATE VIEW wallet_balances AS
    SELECT wallet.organization_id,
        wallet.balance_micros + coalesce(refund.amount_micros, 0) AS balance_micros,
        greatest(wallet.updated_at, refund.written_at) AS updated_at
    FROM wallets wallet
    LEFT JOIN (
        SELECT refund.organization_id, sum(refund.amount_micros)::bigint AS amount_micros,
            max(journal.written_at) AS written_at
        FROM journal
        CROSS JOIN UNNEST(payee_ids, refunds_micros) AS refund (organization_id, amount_micros)
        GROUP BY refund.organization_id
    ) AS refund ON refund.organization_id = wallet.organization_id;

-- Partitions ------------------------------------------------------------------------------------

-- Makes the partition of the month that is so many months ahead, in a transaction of its own. Messages
-- of a clock that was wrong, which the default partition holds of that month, are taken along if they
-- are few; else they are in its way.
CREATE FUNCTION prepare_delivery_logs_month(ahead integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '3s' AS $$
DECLARE
    month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
    since uuid := uuid_floor(month AT TIME ZONE 'UTC');
    until uuid := uuid_floor((month + interval '1 month') AT TIME ZONE 'UTC');
    partition text := 'delivery_logs_' || to_char(month, 'YYYY_MM');
    strays bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('prepare_delivery_logs'));
    IF to_regclass(partition) IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT count(*) INTO strays
        FROM (SELECT FROM delivery_logs_other WHERE id >= since AND id < until LIMIT 10001) AS stray;
    IF strays > 10000 THEN
        RAISE EXCEPTION 'more than 10000 messages of % are in delivery_logs_other', partition;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE delivery_logs INCLUDING ALL) WITH (fillfactor = 50)', partition);
    IF strays > 0 THEN
        LOCK TABLE delivery_logs_other IN ACCESS EXCLUSIVE MODE;
        EXECUTE format(
            'WITH stray AS (DELETE FROM delivery_logs_other WHERE id >= %L AND id < %L RETURNING *) '
            'INSERT INTO %I SELECT * FROM stray', since, until, partition);
    END IF;
    EXECUTE format('ALTER TABLE delivery_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition, since, until);
END $$;
DROP FUNCTION prepare_delivery_logs(integer);

-- What is purged is found by an index -------------------------------------------------------------

CREATE INDEX delivery_logs_sandbox ON delivery_logs (id) WHERE is_sandbox;
CREATE INDEX provider_minutes_minute ON provider_minutes (minute);
CREATE INDEX provider_health_at ON provider_health (at);
CREATE INDEX conversations_written ON conversations (written_at);
CREATE INDEX sessions_heard ON sessions (heard_at);
CREATE INDEX login_attempts_window ON login_attempts (window_start);
CREATE INDEX password_reset_tokens_expiry ON password_reset_tokens (expires_at);
CREATE INDEX delivery_log_slots_start ON delivery_log_slots (starts_at);
