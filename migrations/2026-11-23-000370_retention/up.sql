-- Old months --------------------------------------------------------------------------------------

-- When the time ends of which a monthly partition has the rows.
CREATE FUNCTION end_of_month(partition text) RETURNS timestamptz LANGUAGE sql STABLE STRICT AS $$
    SELECT (to_date(right(partition, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
$$;

-- The oldest monthly partition of a table, if it has ended before a moment.
CREATE FUNCTION oldest_month(parent text, before timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT child.relname::text FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = parent::regclass AND child.relname ~ '_[0-9]{4}_[0-9]{2}$'
        AND end_of_month(child.relname::text) <= before
    ORDER BY child.relname LIMIT 1
$$;

-- Drops that partition, and returns its name. Everybody waits for the table while this waits for those who
-- use it, so it does so for a moment only; whoever calls it tries again.
CREATE FUNCTION drop_oldest_month(parent text, before timestamptz) RETURNS text LANGUAGE plpgsql
SET lock_timeout = '100ms' AS $$
DECLARE
    partition text := oldest_month(parent, before);
BEGIN
    IF partition IS NOT NULL THEN
        EXECUTE format('DROP TABLE IF EXISTS %I', partition);
    END IF;
    RETURN partition;
END $$;

-- The same holds for those that make partitions, and for the function that this one takes the place of.
ALTER FUNCTION prepare_month(text, integer) SET lock_timeout = '100ms';
ALTER FUNCTION drop_months(text, timestamptz) SET lock_timeout = '100ms';

-- The delivery log --------------------------------------------------------------------------------

-- Since when the log is kept: messages of before are gone, and are neither shown nor in its totals. What
-- was counted of them stays, for figures.
CREATE TABLE delivery_log_retention (
    only_row   boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    kept_since timestamptz NOT NULL
);
COMMENT ON TABLE delivery_log_retention IS 'instance-wide';
INSERT INTO delivery_log_retention (kept_since) VALUES ('epoch');

-- Whether there is still something to do for a message of before a moment, or it is one of the sandbox,
-- which are purged by themselves with all that hangs on them.
CREATE FUNCTION log_has_unfinished(before timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM delivery_jobs WHERE id < (SELECT uuid_floor(before)))
        OR EXISTS (SELECT FROM delivery_logs WHERE is_sandbox AND id < (SELECT uuid_floor(before)))
$$;

-- Drops the oldest month of the log if the last of its messages is older than so many days, and says in
-- the same transaction that the log begins after it. A month with unfinished messages is returned and kept,
-- and so are those after it.
CREATE FUNCTION drop_oldest_month_of_log(days integer, OUT month text, OUT is_dropped boolean)
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    wanted timestamptz := date_trunc('month', now() - make_interval(days => days), 'UTC');
    until timestamptz;
BEGIN
    month := oldest_month('delivery_logs', wanted);
    is_dropped := false;
    until := coalesce(end_of_month(month), wanted);
    IF month IS NULL AND EXISTS (SELECT FROM delivery_log_retention WHERE kept_since >= until)
        OR log_has_unfinished(until) THEN
        RETURN;
    END IF;
    IF month IS NOT NULL THEN
        LOCK TABLE ONLY delivery_logs IN ACCESS EXCLUSIVE MODE;
        -- Nobody writes any more; somebody whose clock is wrong may have done so just now.
        IF log_has_unfinished(until) THEN
            RETURN;
        END IF;
        PERFORM drop_oldest_month('delivery_logs', until);
        is_dropped := true;
    END IF;
    UPDATE delivery_log_retention SET kept_since = greatest(kept_since, until);
END $$;

-- What hangs on messages of the sandbox -----------------------------------------------------------

-- What organizations were told of messages of the sandbox: it goes when the message goes.
CREATE TABLE sandbox_events (
    organization_id uuid NOT NULL,
    message_id      uuid NOT NULL,
    event_id        uuid NOT NULL,
    PRIMARY KEY (organization_id, message_id, event_id)
);
COMMENT ON TABLE sandbox_events IS 'tenant';

-- Instances of the version before ------------------------------------------------------------------

-- They write events without their subject: each is one by itself.
ALTER TABLE outbound_events ALTER COLUMN subject_id SET DEFAULT gen_random_uuid();
