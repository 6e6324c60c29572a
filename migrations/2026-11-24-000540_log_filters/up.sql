ALTER TABLE delivery_logs
    -- Slug of the event that a message notifies of; NULL for messages of no event.
    ADD COLUMN event text,
    -- Contact for whom a message was written; NULL for messages to an address, and once the contact is
    -- erased.
    ADD COLUMN contact_id uuid;

-- Finding messages by their recipient. The key is narrow, because every message has it: a hash of the
-- organization and the recipient, then the identifier for the order of the log. The hash functions are
-- those of hash partitioning, whose results PostgreSQL never changes.
-- Nothing has been released yet, so no instance writes while these indexes are made.
DO $$
BEGIN
    EXECUTE 'CREATE INDEX delivery_logs_recipient ON delivery_logs '
        '(hashtextextended(recipient, uuid_hash_extended(organization_id, 0)), id)';
    EXECUTE 'CREATE INDEX delivery_logs_campaign ON delivery_logs (organization_id, campaign_id, id) '
        'WHERE campaign_id IS NOT NULL';
END $$;

-- Returns messages that fit all conditions that are not NULL, newest first, up to `wanted` of those with
-- `since` <= id < `below`. It walks the index that suits the conditions best, and looks at no more than
-- `looked_at` messages. If there are more, and too few fit, it returns the last one that it looked at as
-- well, as one that does not count.
--
-- Recipients and campaigns are compared as ranges, so that only their own indexes have the order of the
-- result: then no statistics, however old, lead to another index. Statements are planned for their values,
-- which leaves out the months without messages of the time.
CREATE FUNCTION log_matches(organization uuid, since uuid, below uuid, looked_at bigint, wanted bigint,
    wanted_recipient text, wanted_campaign uuid, wanted_status text, wanted_channel text,
    wanted_event text, wanted_provider text, wanted_code text, wanted_mode boolean,
    wanted_metadata jsonb)
RETURNS TABLE (id uuid, is_match boolean) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
    recipient_hash bigint := hashtextextended(wanted_recipient, uuid_hash_extended(organization, 0));
    -- A message in a final state other than FAILED has no reason but NO_REPORT.
    is_failure boolean := coalesce(wanted_status = 'FAILED', false)
        OR coalesce(wanted_code <> 'NO_REPORT', false);
    conditions text := 'organization_id = $1 AND id >= $2 AND id < $3';
    sequence text := 'id DESC';
    found bigint;
BEGIN
    IF wanted_recipient IS NOT NULL THEN
        conditions := conditions || ' AND recipient = $5 AND '
            'hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) BETWEEN $4 AND $4';
        sequence := 'hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) DESC, id DESC';
    ELSIF wanted_campaign IS NOT NULL THEN
        conditions := conditions || ' AND campaign_id BETWEEN $6 AND $6';
        sequence := 'campaign_id DESC, id DESC';
    ELSIF is_failure THEN
        conditions := conditions || ' AND failed_at IS NOT NULL';
    ELSIF wanted_channel IS NOT NULL THEN
        conditions := conditions || ' AND channel = $8';
    END IF;
    RETURN QUERY EXECUTE 'SELECT id, true FROM (SELECT * FROM delivery_logs WHERE ' || conditions
        || ' ORDER BY ' || sequence || ' LIMIT $14) AS looked_at '
        'WHERE ($6 IS NULL OR campaign_id = $6) AND ($7 IS NULL OR status = $7) '
        'AND ($8 IS NULL OR channel = $8) AND ($9 IS NULL OR event = $9) '
        'AND ($10 IS NULL OR provider = $10) '
        'AND ($11 IS NULL OR error_code = $11 AND (failed_at IS NOT NULL OR $11 = ''NO_REPORT'')) '
        'AND ($12 IS NULL OR is_sandbox = $12) AND ($13 IS NULL OR metadata @> $13) LIMIT $15'
        USING organization, since, below, recipient_hash, wanted_recipient, wanted_campaign, wanted_status,
            wanted_channel, wanted_event, wanted_provider, wanted_code, wanted_mode, wanted_metadata,
            looked_at, wanted;
    GET DIAGNOSTICS found = ROW_COUNT;
    IF found < wanted THEN
        RETURN QUERY EXECUTE 'SELECT id, false FROM delivery_logs WHERE ' || conditions
            || ' ORDER BY ' || sequence || ' OFFSET $9 - 1 LIMIT 1'
            USING organization, since, below, recipient_hash, wanted_recipient, wanted_campaign,
                wanted_status, wanted_channel, looked_at;
    END IF;
END $$;
