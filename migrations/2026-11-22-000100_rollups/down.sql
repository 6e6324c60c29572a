DROP VIEW platform_counts, ledger, delivery_log_counts, delivery_log_slot_counts;
DROP FUNCTION delivery_log_counts_of(uuid), delivery_log_slot_counts_of(uuid),
    unposted_counts_of(uuid), wallet_balance_of(uuid);
DROP VIEW unposted_counts;
DROP TABLE platform_counters;
DROP INDEX delivery_log_counters_start;
DROP FUNCTION hours_kept_since();

-- The ledger ----------------------------------------------------------------------------------------

CREATE TABLE ledger_entries_whole (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    kind            text NOT NULL,
    amount_micros   bigint NOT NULL,
    messages        integer NOT NULL DEFAULT 0,
    reference       text,
    created_at      timestamptz NOT NULL
);
INSERT INTO ledger_entries_whole
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
    UNION ALL
    SELECT id, organization_id, kind, amount_micros, messages, NULL, updated_at FROM ledger_hours
    UNION ALL
    SELECT uuid_v7_in(written_at, paid.organization_id), paid.organization_id, 'MESSAGE_DEBIT',
        paid.amount_micros, paid.messages, NULL, written_at
    FROM journal_rollups CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages)
        AS paid (organization_id, amount_micros, messages)
    UNION ALL
    SELECT uuid_v7_in(written_at, refund.organization_id), refund.organization_id, 'MESSAGE_REFUND',
        refund.amount_micros, refund.messages, NULL, written_at
    FROM journal_rollups CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages)
        AS refund (organization_id, amount_micros, messages);
DROP TABLE ledger_entries, ledger_hours;
ALTER TABLE ledger_entries_whole RENAME TO ledger_entries;
ALTER TABLE ledger_entries ADD PRIMARY KEY (organization_id, id);
CREATE UNIQUE INDEX ledger_entries_reference_key ON ledger_entries (kind, reference)
    WHERE reference IS NOT NULL;
CREATE TRIGGER ledger_entries_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE ledger_entries IS 'tenant';

-- What rollups hold of counters becomes lines again.
INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, are_sandbox,
        messages, segments, costs_micros, payer_ids, debits_micros, paid_messages)
    SELECT id, written_at, organization_ids, slots, channels, statuses, are_sandbox, messages,
        segments, costs_micros, '{}', '{}', '{}'
    FROM journal_rollups;
DROP TABLE journal_rollups;
DROP FUNCTION journal_bucket(uuid);

CREATE VIEW delivery_log_counts AS
    SELECT organization_id, span, starts_at, channel, status, is_sandbox, messages, segments,
        cost_micros
    FROM delivery_log_counters
    UNION ALL
    SELECT line.organization_id, span, date_trunc(span, line.slot, 'UTC'), line.channel,
        line.status, line.is_sandbox, line.messages, line.segments, line.cost_micros
    FROM journal
    CROSS JOIN UNNEST(organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
        costs_micros) AS line (organization_id, slot, channel, status, is_sandbox, messages,
        segments, cost_micros)
    CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span);

CREATE VIEW delivery_log_slot_counts AS
    SELECT organization_id, starts_at, channel, messages FROM delivery_log_slots
    UNION ALL
    SELECT line.organization_id, line.slot, line.channel, line.messages
    FROM journal
    CROSS JOIN UNNEST(organization_ids, slots, channels, messages)
        AS line (organization_id, slot, channel, messages);

CREATE VIEW ledger AS
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
DROP FUNCTION prepare_month(text, integer), uuid_v7_in(timestamptz, uuid), uuid_v7(timestamptz);
