-- Identifiers -------------------------------------------------------------------------------------

-- A new UUIDv7 of a moment.
CREATE FUNCTION uuid_v7(moment timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT (left(uuid_floor(moment)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid
$$;

-- A new UUIDv7 of a moment that ends in the slot of its organization.
CREATE FUNCTION uuid_v7_in(moment timestamptz, organization uuid) RETURNS uuid
LANGUAGE sql VOLATILE AS $$
    SELECT (left(uuid_v7(moment)::text, 33) || right(organization::text, 3))::uuid
$$;

-- Monthly partitions ------------------------------------------------------------------------------

-- Makes the partition of the month that is so many months ahead, in a transaction of its own. Rows of
-- a clock that was wrong, which the default partition holds of that month, are taken along if they are
-- few; else they are in its way. A partition of a table that is append-only is so by itself, for
-- triggers on statements are not handed down.
CREATE FUNCTION prepare_month(parent text, ahead integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '3s' AS $$
DECLARE
    month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
    since uuid := uuid_floor(month AT TIME ZONE 'UTC');
    until uuid := uuid_floor((month + interval '1 month') AT TIME ZONE 'UTC');
    partition text := parent || '_' || to_char(month, 'YYYY_MM');
    other text := parent || '_other';
    is_append_only boolean := EXISTS (SELECT FROM pg_trigger
        WHERE tgrelid = parent::regclass AND tgname = parent || '_append_only');
    strays bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('prepare_' || parent));
    IF to_regclass(partition) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE id >= %L AND id < %L LIMIT 10001) AS stray',
        other, since, until) INTO strays;
    IF strays > 10000 THEN
        RAISE EXCEPTION 'more than 10000 rows of % are in %', partition, other;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) WITH (fillfactor = %s)',
        partition, parent, CASE parent WHEN 'delivery_logs' THEN 50 ELSE 100 END);
    IF strays > 0 THEN
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', other);
        EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', other);
        EXECUTE format(
            'WITH stray AS (DELETE FROM %I WHERE id >= %L AND id < %L RETURNING *) '
            'INSERT INTO %I SELECT * FROM stray', other, since, until, partition);
        EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', other);
    END IF;
    IF is_append_only THEN
        EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
            partition || '_append_only', partition);
    END IF;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, partition, since, until);
END $$;
DROP FUNCTION prepare_delivery_logs_month(integer);

-- The ledger ----------------------------------------------------------------------------------------

DROP VIEW ledger;
ALTER TABLE ledger_entries RENAME TO ledger_entries_whole;
ALTER TABLE ledger_entries_whole RENAME CONSTRAINT ledger_entries_pkey TO ledger_entries_whole_pkey;

-- The balance of a wallet is the sum of its entries. Partitioned by identifier, hence by time.
CREATE TABLE ledger_entries (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    kind            text NOT NULL,
    amount_micros   bigint NOT NULL,
    messages        integer NOT NULL DEFAULT 0,
    reference       text,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);
COMMENT ON TABLE ledger_entries IS 'tenant';
-- What no month holds, such as entries of a clock that is wrong.
CREATE TABLE ledger_entries_other PARTITION OF ledger_entries DEFAULT;
CREATE TRIGGER ledger_entries_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_other_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries_other
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- From the month of the first entry on, but for such as a wrong clock dated far back.
SELECT prepare_month('ledger_entries', ahead) FROM generate_series((
    SELECT greatest(-60, least(0, 12 * extract(year FROM age) + extract(month FROM age)))::integer
    FROM (SELECT age(date_trunc('month', min(created_at) AT TIME ZONE 'UTC'),
            date_trunc('month', now() AT TIME ZONE 'UTC')) AS age
        FROM ledger_entries_whole) AS first), 3) AS ahead;
INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, reference, created_at)
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries_whole;
DROP TABLE ledger_entries_whole;

-- What organizations paid for messages in hours that are not entered yet, and what they got back.
CREATE TABLE ledger_hours (
    organization_id uuid NOT NULL,
    hour            timestamptz NOT NULL,
    kind            text NOT NULL,
    -- Of the entry that this will be.
    id              uuid NOT NULL,
    amount_micros   bigint NOT NULL,
    messages        integer NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, hour, kind)
) WITH (fillfactor = 50);
CREATE INDEX ledger_hours_hour ON ledger_hours (hour);
COMMENT ON TABLE ledger_hours IS 'tenant';

-- Rollups of the journal ----------------------------------------------------------------------------

-- In which rollups of the journal the changes of an organization are: 256 buckets by its last byte.
CREATE FUNCTION journal_bucket(organization uuid) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
    SELECT get_byte(uuid_send(organization), 15)::smallint
$$;

-- Lines of the journal, added up for one bucket of organizations. The lines of some minutes gather here
-- before they are posted, so that a counter changes once for many messages. All was written in the same
-- hour; refunds are in their wallets by now.
CREATE TABLE journal_rollups (
    bucket            smallint NOT NULL,
    id                uuid NOT NULL,
    written_at        timestamptz NOT NULL,
    organization_ids  uuid[] NOT NULL,
    slots             timestamptz[] NOT NULL,
    channels          text[] NOT NULL,
    statuses          text[] NOT NULL,
    are_sandbox       boolean[] NOT NULL,
    messages          bigint[] NOT NULL,
    segments          bigint[] NOT NULL,
    costs_micros      bigint[] NOT NULL,
    payer_ids         uuid[] NOT NULL,
    debits_micros     bigint[] NOT NULL,
    paid_messages     integer[] NOT NULL,
    payee_ids         uuid[] NOT NULL,
    refunds_micros    bigint[] NOT NULL,
    refunded_messages integer[] NOT NULL,
    PRIMARY KEY (bucket, id)
) WITH (toast_tuple_target = 8160);
CREATE INDEX journal_rollups_written ON journal_rollups (written_at);
COMMENT ON TABLE journal_rollups IS 'instance-wide';

CREATE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
    UNION ALL
    SELECT id, organization_id, kind, amount_micros, messages, NULL, updated_at
    FROM ledger_hours
    UNION ALL
    SELECT waiting.id, paid.organization_id, 'MESSAGE_DEBIT', paid.amount_micros, paid.messages,
        NULL, waiting.written_at
    FROM (SELECT id, written_at, payer_ids, debits_micros, paid_messages FROM journal_rollups
        UNION ALL
        SELECT id, written_at, payer_ids, debits_micros, paid_messages FROM journal) AS waiting
    CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages)
        AS paid (organization_id, amount_micros, messages)
    UNION ALL
    SELECT waiting.id, refund.organization_id, 'MESSAGE_REFUND', refund.amount_micros,
        refund.messages, NULL, waiting.written_at
    FROM (SELECT id, written_at, payee_ids, refunds_micros, refunded_messages FROM journal_rollups
        UNION ALL
        SELECT id, written_at, payee_ids, refunds_micros, refunded_messages FROM journal) AS waiting
    CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages)
        AS refund (organization_id, amount_micros, messages);

-- What an organization has: its wallet, and the refunds that wait to be moved to it.
CREATE FUNCTION wallet_balance_of(organization uuid)
RETURNS TABLE (balance_micros bigint, updated_at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT wallet.balance_micros + coalesce(refund.amount_micros, 0),
        greatest(wallet.updated_at, refund.written_at)
    FROM wallets wallet
    CROSS JOIN (
        SELECT sum(refund.amount_micros)::bigint AS amount_micros,
            max(journal.written_at) AS written_at
        FROM journal
        CROSS JOIN UNNEST(payee_ids, refunds_micros) AS refund (organization_id, amount_micros)
        WHERE wallet_balance_of.organization = ANY(payee_ids)
            AND refund.organization_id = wallet_balance_of.organization
    ) AS refund
    WHERE wallet.organization_id = wallet_balance_of.organization
$$;

-- Counters --------------------------------------------------------------------------------------------

-- Since when hours and slots are kept. Older messages are counted by the day.
CREATE FUNCTION hours_kept_since() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc('day', now() - interval '35 days', 'UTC')
$$;
CREATE INDEX delivery_log_counters_start ON delivery_log_counters (span, starts_at);

-- What is not posted to counters yet, of all organizations.
CREATE VIEW unposted_counts AS
    SELECT line.organization_id, line.slot, line.channel, line.status, line.is_sandbox,
        line.messages, line.segments, line.cost_micros
    FROM (SELECT organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
            costs_micros FROM journal_rollups
        UNION ALL
        SELECT organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
            costs_micros FROM journal) AS waiting
    CROSS JOIN UNNEST(organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
        costs_micros) AS line (organization_id, slot, channel, status, is_sandbox, messages,
        segments, cost_micros);

-- The same of one organization. Only what names it is taken apart.
CREATE FUNCTION unposted_counts_of(organization uuid)
RETURNS TABLE (slot timestamptz, channel text, status text, is_sandbox boolean, messages bigint,
    segments bigint, cost_micros bigint) LANGUAGE sql STABLE AS $$
    SELECT line.slot, line.channel, line.status, line.is_sandbox, line.messages, line.segments,
        line.cost_micros
    FROM (SELECT organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
            costs_micros
        FROM journal_rollups
        WHERE bucket = journal_bucket(unposted_counts_of.organization)
            AND unposted_counts_of.organization = ANY(organization_ids)
        UNION ALL
        SELECT organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
            costs_micros
        FROM journal
        WHERE unposted_counts_of.organization = ANY(organization_ids)) AS waiting
    CROSS JOIN UNNEST(organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
        costs_micros) AS line (organization_id, slot, channel, status, is_sandbox, messages,
        segments, cost_micros)
    WHERE line.organization_id = unposted_counts_of.organization
$$;

DROP VIEW delivery_log_counts, delivery_log_slot_counts;

CREATE VIEW delivery_log_counts AS
    SELECT organization_id, span, starts_at, channel, status, is_sandbox, messages, segments,
        cost_micros
    FROM delivery_log_counters WHERE span = 'DAY' OR starts_at >= hours_kept_since()
    UNION ALL
    SELECT organization_id, span, date_trunc(span, slot, 'UTC'), channel, status, is_sandbox,
        messages, segments, cost_micros
    FROM unposted_counts CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span)
    WHERE span = 'DAY' OR slot >= hours_kept_since();

CREATE FUNCTION delivery_log_counts_of(organization uuid)
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

CREATE VIEW delivery_log_slot_counts AS
    SELECT organization_id, starts_at, channel, messages FROM delivery_log_slots
    WHERE starts_at >= hours_kept_since()
    UNION ALL
    SELECT organization_id, slot, channel, messages FROM unposted_counts
    WHERE slot >= hours_kept_since();

CREATE FUNCTION delivery_log_slot_counts_of(organization uuid)
RETURNS TABLE (starts_at timestamptz, channel text, messages bigint) LANGUAGE sql STABLE AS $$
    SELECT counter.starts_at, counter.channel, counter.messages FROM delivery_log_slots counter
    WHERE counter.organization_id = delivery_log_slot_counts_of.organization
        AND counter.starts_at >= hours_kept_since()
    UNION ALL
    SELECT waiting.slot, waiting.channel, waiting.messages
    FROM unposted_counts_of(delivery_log_slot_counts_of.organization) AS waiting
    WHERE waiting.slot >= hours_kept_since()
$$;

-- How many messages of all organizations are in which state, by the day of their acceptance. Whoever
-- adds lines of the journal up adds them here too.
CREATE TABLE platform_counters (
    day         date NOT NULL,
    channel     text NOT NULL,
    status      text NOT NULL,
    is_sandbox  boolean NOT NULL,
    messages    bigint NOT NULL,
    segments    bigint NOT NULL,
    cost_micros bigint NOT NULL,
    PRIMARY KEY (day, channel, status, is_sandbox)
) WITH (fillfactor = 50);
COMMENT ON TABLE platform_counters IS 'instance-wide';
INSERT INTO platform_counters
    (day, channel, status, is_sandbox, messages, segments, cost_micros)
    SELECT (starts_at AT TIME ZONE 'UTC')::date, channel, status, is_sandbox, sum(messages),
        sum(segments), sum(cost_micros)
    FROM delivery_log_counters WHERE span = 'DAY' GROUP BY 1, 2, 3, 4;

CREATE VIEW platform_counts AS
    SELECT day, channel, status, is_sandbox, messages, segments, cost_micros FROM platform_counters
    UNION ALL
    SELECT (line.slot AT TIME ZONE 'UTC')::date, line.channel, line.status, line.is_sandbox,
        line.messages, line.segments, line.cost_micros
    FROM journal
    CROSS JOIN UNNEST(slots, channels, statuses, are_sandbox, messages, segments, costs_micros)
        AS line (slot, channel, status, is_sandbox, messages, segments, cost_micros);
