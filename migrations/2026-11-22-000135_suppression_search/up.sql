-- Looking for a part of a text ---------------------------------------------------------------------

-- Where a search looks. ILIKE compares it, and trigrams are of lower case by themselves.
CREATE FUNCTION suppression_text(phone text, email text, reason text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(phone, '') || E'\n' || coalesce(email, '') || E'\n' || coalesce(reason, '')
$$;
-- The organization is an expression, so that this index serves searches and nothing else.
CREATE INDEX suppressions_search ON suppressions USING gin (uuid_send(organization_id),
    suppression_text(phone, email, reason) gin_trgm_ops);

-- How many entries there are -----------------------------------------------------------------------

-- The greatest identifier that was ever counted.
ALTER TABLE suppression_counts
    ADD COLUMN newest_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

-- The entries in the order of their identifiers, cut into blocks of some thousand, as contacts are.
CREATE TABLE suppression_blocks (
    organization_id uuid NOT NULL,
    first_id        uuid NOT NULL,
    entries         bigint NOT NULL,
    PRIMARY KEY (organization_id, first_id)
);
COMMENT ON TABLE suppression_blocks IS 'tenant';

DROP TRIGGER suppressions_counted ON suppressions;
DROP FUNCTION count_suppression();

UPDATE suppression_counts SET newest_id = newest.id FROM (
    SELECT DISTINCT ON (organization_id) organization_id, id FROM suppressions
    ORDER BY organization_id, id DESC
) AS newest WHERE newest.organization_id = suppression_counts.organization_id;
WITH numbered AS (
    SELECT organization_id, id,
        row_number() OVER (PARTITION BY organization_id ORDER BY id) / 5000 AS block
    FROM suppressions
)
INSERT INTO suppression_blocks
    SELECT DISTINCT ON (organization_id, block) organization_id, id,
        count(*) OVER (PARTITION BY organization_id, block)
    FROM numbered ORDER BY organization_id, block, id;

-- Counts what a statement added or removed, all of it at once.
CREATE FUNCTION count_suppressions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    block_size CONSTANT integer := 5000;
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    own record;
    known suppression_counts;
    blocks uuid[];
    first_new uuid;
BEGIN
    FOR own IN
        SELECT organization_id AS id, array_agg(id ORDER BY id) AS entries
        FROM changed GROUP BY organization_id ORDER BY organization_id
    LOOP
        INSERT INTO suppression_counts VALUES (own.id, 0, own.entries[1]) ON CONFLICT DO NOTHING;
        -- Others count after this one has ended, and see the blocks that it began.
        SELECT * INTO known FROM suppression_counts WHERE organization_id = own.id FOR UPDATE;
        IF TG_OP = 'INSERT' THEN
            -- A new block begins after all that was ever counted, or it would hold some of that.
            SELECT id INTO first_new FROM unnest(own.entries) AS id
                WHERE id > known.newest_id ORDER BY id LIMIT 1;
            INSERT INTO suppression_blocks
                SELECT own.id, coalesce(first_new, own.entries[1]), 0
                FROM (SELECT) AS always LEFT JOIN (
                    SELECT entries FROM suppression_blocks WHERE organization_id = own.id
                    ORDER BY first_id DESC LIMIT 1
                ) AS newest ON true
                WHERE entries IS NULL OR entries >= block_size AND first_new IS NOT NULL;
        END IF;
        blocks := ARRAY(SELECT first_id FROM suppression_blocks WHERE organization_id = own.id
            ORDER BY first_id);
        UPDATE suppression_blocks SET entries = suppression_blocks.entries + sign * part.entries
            FROM (
                SELECT blocks[greatest(1, width_bucket(id, blocks))] AS first_id, count(*) AS entries
                FROM unnest(own.entries) AS id GROUP BY 1
            ) AS part
            WHERE suppression_blocks.organization_id = own.id
                AND suppression_blocks.first_id = ANY(ARRAY[part.first_id]);
        UPDATE suppression_counts SET entries = entries + sign * cardinality(own.entries),
                newest_id = greatest(newest_id, own.entries[cardinality(own.entries)])
            WHERE organization_id = own.id;
        IF TG_OP = 'DELETE' THEN
            DELETE FROM suppression_blocks WHERE organization_id = own.id AND entries = 0;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER suppressions_added AFTER INSERT ON suppressions REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_suppressions();
CREATE TRIGGER suppressions_removed AFTER DELETE ON suppressions REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_suppressions();

-- Reading the list ---------------------------------------------------------------------------------

-- Each of these reads by one index, whatever the planner thinks of the table.

-- The entries after the newest `skipped`, newest first. Whole blocks are passed without a look.
CREATE FUNCTION suppressions_after(organization uuid, skipped bigint, most bigint)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
    block record;
BEGIN
    -- The block in which the page begins, how many entries are in newer ones, and where these begin.
    SELECT passed - entries AS passed, newer INTO block FROM (
        SELECT first_id, entries, sum(entries) OVER newest_first AS passed,
            lag(first_id) OVER newest_first AS newer
        FROM suppression_blocks WHERE organization_id = organization
        WINDOW newest_first AS (ORDER BY first_id DESC)
    ) AS blocks WHERE blocks.passed > skipped ORDER BY first_id DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT id FROM suppressions WHERE organization_id = organization
            AND id < coalesce(block.newer, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        ORDER BY id DESC OFFSET skipped - block.passed LIMIT most;
END $$;

-- Of the newest `looked_at` entries those with a text like that, newest first.
CREATE FUNCTION newest_suppressions_like(
    organization uuid, pattern text, looked_at bigint, most bigint
) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY SELECT id FROM (
        SELECT id, suppression_text(phone, email, reason) AS text FROM suppressions
        WHERE organization_id = organization ORDER BY id DESC LIMIT looked_at
    ) AS newest WHERE newest.text ILIKE pattern LIMIT most;
END $$;

-- Any entries with a text like that, found by its trigrams.
CREATE FUNCTION suppressions_like(organization uuid, pattern text, most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
    RETURN QUERY SELECT id FROM suppressions
        WHERE uuid_send(organization_id) = uuid_send(organization)
            AND suppression_text(phone, email, reason) ILIKE pattern
        LIMIT most;
END $$;
