-- The log again, with the columns that delivery changes behind all others, in the order in which they
-- change. PostgreSQL logs an update from the first changed byte to the last: with `status` in the fourth
-- place, each step of a message logged recipient and text again.
--
-- Months without messages are made anew. Others keep their rows and the order of their columns: PostgreSQL
-- converts the rows of such a partition.
--
-- Nothing has been released yet, so no instance writes meanwhile.
DO $$
DECLARE
    months  text[];
    bounds  text[];
    is_kept boolean;
BEGIN
    -- The default partition comes last, so that no month has to be looked for in it.
    SELECT array_agg(month.relname::text ORDER BY month.relname),
        array_agg(pg_get_expr(month.relpartbound, month.oid) ORDER BY month.relname)
    INTO STRICT months, bounds
    FROM pg_inherits JOIN pg_class month ON month.oid = inhrelid
    WHERE inhparent = 'delivery_logs'::regclass;
    FOR place IN 1..cardinality(months) LOOP
        EXECUTE format('ALTER TABLE delivery_logs DETACH PARTITION %I', months[place]);
    END LOOP;
    DROP TABLE delivery_logs;

    CREATE TABLE delivery_logs (
        id              uuid NOT NULL,
        organization_id uuid NOT NULL,
        created_at      timestamptz NOT NULL,
        cost_micros     bigint NOT NULL,
        -- End of the validity.
        expires_at      timestamptz,
        priority        smallint NOT NULL,
        segments        smallint NOT NULL,
        is_sandbox      boolean NOT NULL,
        is_confidential boolean NOT NULL,
        channel         text NOT NULL,
        recipient       text NOT NULL,
        country_code    text NOT NULL,
        category        text NOT NULL,
        sender          text,
        subject         text,
        body            text NOT NULL,
        -- Columns that are NULL for most messages, and take no space then.
        template_id     uuid,
        campaign_id     uuid,
        trigger_id      uuid,
        -- Contact for whom a message was written; NULL for messages to an address, and once the contact
        -- is erased.
        contact_id      uuid,
        -- Failed message that this one repeats.
        resent_from     uuid,
        -- Slug of the event that a message notifies of.
        event           text,
        metadata        jsonb,
        -- Retry rules that differ from the default.
        retry_rules     jsonb,
        scheduled_at    timestamptz,
        -- Template of the vendor, filled when the message was accepted:
        -- {"name", "language", "values": […], "button"}.
        vendor_template jsonb,
        -- Properties of the text: {"isHtml"} of a mail, decided before placeholders were filled, and
        -- {"masked"}, the text that replaces a code.
        text_notes      jsonb,
        -- Beginning of the validity, if the message could not be sent at once.
        valid_from      timestamptz,
        -- What an attempt changes.
        provider        text,
        attempts        jsonb NOT NULL DEFAULT '[]',
        sent_at         timestamptz,
        -- What a report changes as well.
        status          text NOT NULL,
        delivered_at    timestamptz,
        failed_at       timestamptz,
        error_code      text,
        error_message   text,
        vendor_code     text,
        PRIMARY KEY (organization_id, id)
    ) PARTITION BY RANGE (id);
    COMMENT ON TABLE delivery_logs IS 'tenant';
    CREATE INDEX delivery_logs_channel ON delivery_logs (organization_id, channel, id);
    CREATE INDEX delivery_logs_failed ON delivery_logs (organization_id, id)
        WHERE failed_at IS NOT NULL;
    CREATE INDEX delivery_logs_sandbox ON delivery_logs (id) WHERE is_sandbox;
    -- Reports, callbacks and the purge know the identifier and not the organization.
    CREATE INDEX delivery_logs_id ON delivery_logs (id);
    CREATE INDEX delivery_logs_recipient ON delivery_logs
        (hashtextextended(recipient, uuid_hash_extended(organization_id, 0)), id);
    CREATE INDEX delivery_logs_metadata ON delivery_logs
        USING gin (metadata_hashes(organization_id, metadata)) WITH (gin_pending_list_limit = 256)
        WHERE metadata IS NOT NULL;
    CREATE INDEX delivery_logs_campaign ON delivery_logs (organization_id, campaign_id, id)
        WHERE campaign_id IS NOT NULL;
    CREATE INDEX delivery_logs_campaign_contact ON delivery_logs
        (organization_id, campaign_id, contact_id)
        WHERE campaign_id IS NOT NULL AND contact_id IS NOT NULL;
    CREATE INDEX delivery_logs_campaign_failures ON delivery_logs
        (organization_id, campaign_id, error_code, id)
        WHERE campaign_id IS NOT NULL AND failed_at IS NOT NULL;

    FOR place IN 1..cardinality(months) LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', months[place]) INTO is_kept;
        IF is_kept THEN
            EXECUTE format('ALTER TABLE delivery_logs ATTACH PARTITION %I %s', months[place], bounds[place]);
        ELSE
            EXECUTE format('DROP TABLE %I', months[place]);
            EXECUTE format('CREATE TABLE %I PARTITION OF delivery_logs %s', months[place], bounds[place]);
        END IF;
        EXECUTE format('ALTER TABLE %I SET (fillfactor = 33)', months[place]);
    END LOOP;
END $$;

-- Creates the partition of a table for the month that is `ahead` months after the present one. Rows of that
-- month in the default partition, written under a wrong clock, are moved to the new partition; more than
-- 10000 of them are an error. Triggers on statements are not inherited, so a partition of an append-only
-- table gets its own. All other statements on the table wait while this function waits for its lock, so
-- the timeout is short, and the service makes each call a transaction and repeats it.
--
-- A row of the log grows when its message is handed over, and is written once more by the report. So that
-- both versions stay on their page (HOT), a page is filled with messages to a third.
CREATE OR REPLACE FUNCTION prepare_month(parent text, ahead integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '100ms' AS $$
DECLARE
    month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
    since uuid := uuid_floor(month AT TIME ZONE 'UTC');
    until uuid := uuid_floor((month + interval '1 month') AT TIME ZONE 'UTC');
    partition text := parent || '_' || to_char(month, 'YYYY_MM');
    other text := parent || '_other';
    is_append_only boolean := EXISTS (SELECT FROM pg_trigger
        WHERE tgrelid = parent::regclass AND tgname = parent || '_append_only');
    -- The default partition may have its columns in another order.
    columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = parent::regclass AND attnum > 0 AND NOT attisdropped);
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
        partition, parent, CASE parent WHEN 'delivery_logs' THEN 33 ELSE 100 END);
    IF strays > 0 THEN
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', other);
        EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', other);
        EXECUTE format(
            'WITH stray AS (DELETE FROM %I WHERE id >= %L AND id < %L RETURNING *) '
            'INSERT INTO %I (%s) SELECT %s FROM stray', other, since, until, partition, columns, columns);
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
