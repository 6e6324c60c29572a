-- Contacts, folded ---------------------------------------------------------------------------------

-- Case does not matter to whoever looks for a contact. The service folds the texts, for what lower()
-- does depends on the database's locale; it serves for what is there already.
ALTER TABLE contacts
    ADD COLUMN first_name_folded text,
    ADD COLUMN last_name_folded  text,
    ADD COLUMN tags_folded       text[] NOT NULL DEFAULT '{}',
    ADD COLUMN attributes_folded jsonb NOT NULL DEFAULT '{}',
    -- The names on one line, the phone and the mail address each on one of its own.
    ADD COLUMN search_text       text NOT NULL DEFAULT '';
UPDATE contacts SET
    first_name_folded = lower(first_name),
    last_name_folded = lower(last_name),
    tags_folded = (SELECT coalesce(array_agg(lower(tag) ORDER BY place), '{}')
        FROM unnest(tags) WITH ORDINALITY AS tags (tag, place)),
    attributes_folded = (SELECT coalesce(jsonb_object_agg(key, lower(value)), '{}')
        FROM jsonb_each_text(attributes)),
    search_text = concat_ws(E'\n', nullif(concat_ws(' ', lower(first_name), lower(last_name)), ''),
        phone, email);

-- Looking for a part of a text ---------------------------------------------------------------------

-- Both are part of PostgreSQL's contrib, and the owner of a database may create them.
DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE EXTENSION IF NOT EXISTS btree_gin;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the role % may not create extensions in the database %; an administrator must '
            'run there: CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin;',
            current_user, current_database();
    WHEN undefined_file OR feature_not_supported THEN
        RAISE EXCEPTION 'the extensions pg_trgm and btree_gin are not installed with this server; they '
            'are in its contrib package (postgresql-contrib, postgresql15-contrib or the like)';
END $$;
-- The organization is an expression, so that this index serves searches and nothing else. A search
-- reads all that is not merged into it yet, so that is kept short.
CREATE INDEX contacts_search ON contacts
    USING gin (uuid_send(organization_id), search_text gin_trgm_ops)
    WITH (gin_pending_list_limit = 1024);

-- How many contacts there are ----------------------------------------------------------------------

-- Kept, so that no request counts them.
CREATE TABLE contact_counts (
    organization_id uuid PRIMARY KEY,
    contacts        bigint NOT NULL,
    -- The greatest identifier that was ever counted.
    newest_id       uuid NOT NULL
);
COMMENT ON TABLE contact_counts IS 'tenant';

-- The contacts in the order of their identifiers, cut into blocks of some thousand, so that no
-- request reads all the contacts before its page. A block holds those from `first_id` on that no later
-- block holds; the first one also any before.
CREATE TABLE contact_blocks (
    organization_id uuid NOT NULL,
    first_id        uuid NOT NULL,
    contacts        bigint NOT NULL,
    PRIMARY KEY (organization_id, first_id)
);
COMMENT ON TABLE contact_blocks IS 'tenant';

INSERT INTO contact_counts
    SELECT DISTINCT ON (organization_id) organization_id, count(*) OVER own, id
    FROM contacts WINDOW own AS (PARTITION BY organization_id) ORDER BY organization_id, id DESC;
WITH numbered AS (
    SELECT organization_id, id,
        row_number() OVER (PARTITION BY organization_id ORDER BY id) / 5000 AS block
    FROM contacts
)
INSERT INTO contact_blocks
    SELECT DISTINCT ON (organization_id, block) organization_id, id,
        count(*) OVER (PARTITION BY organization_id, block)
    FROM numbered ORDER BY organization_id, block, id;

CREATE FUNCTION count_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    block_size CONSTANT integer := 5000;
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    own record;
    known contact_counts;
    blocks uuid[];
    first_new uuid;
BEGIN
    FOR own IN
        SELECT organization_id AS id, array_agg(id ORDER BY id) AS contacts
        FROM changed GROUP BY organization_id ORDER BY organization_id
    LOOP
        INSERT INTO contact_counts VALUES (own.id, 0, own.contacts[1]) ON CONFLICT DO NOTHING;
        -- Others count after this one has ended, and see the blocks that it began.
        SELECT * INTO known FROM contact_counts WHERE organization_id = own.id FOR UPDATE;
        IF TG_OP = 'INSERT' THEN
            -- A new block begins after all that was ever counted, or it would hold some of that.
            SELECT id INTO first_new FROM unnest(own.contacts) AS id
                WHERE id > known.newest_id ORDER BY id LIMIT 1;
            INSERT INTO contact_blocks
                SELECT own.id, coalesce(first_new, own.contacts[1]), 0
                FROM (SELECT) AS always LEFT JOIN (
                    SELECT contacts FROM contact_blocks WHERE organization_id = own.id
                    ORDER BY first_id DESC LIMIT 1
                ) AS newest ON true
                WHERE contacts IS NULL OR contacts >= block_size AND first_new IS NOT NULL;
        END IF;
        blocks := ARRAY(SELECT first_id FROM contact_blocks WHERE organization_id = own.id
            ORDER BY first_id);
        UPDATE contact_blocks SET contacts = contact_blocks.contacts + sign * part.contacts
            FROM (
                SELECT blocks[greatest(1, width_bucket(id, blocks))] AS first_id, count(*) AS contacts
                FROM unnest(own.contacts) AS id GROUP BY 1
            ) AS part
            WHERE contact_blocks.organization_id = own.id
                AND contact_blocks.first_id = ANY(ARRAY[part.first_id]);
        UPDATE contact_counts SET contacts = contacts + sign * cardinality(own.contacts),
                newest_id = greatest(newest_id, own.contacts[cardinality(own.contacts)])
            WHERE organization_id = own.id;
        IF TG_OP = 'DELETE' THEN
            DELETE FROM contact_blocks WHERE organization_id = own.id AND contacts = 0;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_added AFTER INSERT ON contacts REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_contacts();
CREATE TRIGGER contacts_removed AFTER DELETE ON contacts REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_contacts();

-- Reading contacts ---------------------------------------------------------------------------------

-- Each of these reads by one index, whatever the planner thinks of the table: what it knows of all
-- organizations together is wrong for the largest.

-- The contacts after the newest `skipped`, newest first. Whole blocks are passed without a look.
CREATE FUNCTION contacts_after(organization uuid, skipped bigint, most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
    block record;
BEGIN
    -- The block in which the page begins, how many contacts are in newer ones, and where these begin.
    SELECT passed - contacts AS passed, newer INTO block FROM (
        SELECT first_id, contacts, sum(contacts) OVER newest_first AS passed,
            lag(first_id) OVER newest_first AS newer
        FROM contact_blocks WHERE organization_id = organization
        WINDOW newest_first AS (ORDER BY first_id DESC)
    ) AS blocks WHERE blocks.passed > skipped ORDER BY first_id DESC LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT id FROM contacts WHERE organization_id = organization
            AND id < coalesce(block.newer, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        ORDER BY id DESC OFFSET skipped - block.passed LIMIT most;
END $$;

-- Of the newest `looked_at` contacts those with a text like that, newest first.
CREATE FUNCTION newest_contacts_like(organization uuid, pattern text, looked_at bigint, most bigint)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY SELECT id FROM (
        SELECT id, search_text FROM contacts WHERE organization_id = organization
        ORDER BY id DESC LIMIT looked_at
    ) AS newest WHERE search_text LIKE pattern LIMIT most;
END $$;

-- Any contacts with a text like that, found by its trigrams.
CREATE FUNCTION contacts_like(organization uuid, pattern text, most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
    RETURN QUERY SELECT id FROM contacts
        WHERE uuid_send(organization_id) = uuid_send(organization) AND search_text LIKE pattern
        LIMIT most;
END $$;

-- Erasure ------------------------------------------------------------------------------------------

-- People whose messages are still to be erased, for their contact was deleted: the addresses that
-- they had. Gone as soon as the log was walked for them.
CREATE TABLE contact_erasures (
    organization_id uuid NOT NULL,
    -- What the contact's was.
    id              uuid NOT NULL,
    phone           text,
    email           text,
    fcm_token       text,
    requested_at    timestamptz NOT NULL DEFAULT now(),
    -- Whether the walk that goes on is for this one too. Those that come meanwhile wait for the next.
    is_walked_for   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE contact_erasures IS 'tenant';

-- How far an organization's log was walked: all messages up to `reached`, of those up to `until`.
CREATE TABLE erasure_walks (
    organization_id uuid PRIMARY KEY,
    reached         uuid NOT NULL,
    until           uuid NOT NULL,
    -- Nobody else takes the next step until then.
    due_at          timestamptz NOT NULL
);
COMMENT ON TABLE erasure_walks IS 'tenant';
CREATE INDEX erasure_walks_due ON erasure_walks (due_at);

-- Messages that a walk met before they were final. They are erased when they are.
CREATE TABLE unfinished_erasures (
    organization_id uuid NOT NULL,
    message_id      uuid NOT NULL,
    due_at          timestamptz NOT NULL,
    PRIMARY KEY (organization_id, message_id)
);
COMMENT ON TABLE unfinished_erasures IS 'tenant';
CREATE INDEX unfinished_erasures_due ON unfinished_erasures (due_at);

-- Whether a message is final, or nobody tries it or waits for its report any more.
CREATE FUNCTION is_over(status text, expires_at timestamptz, created_at timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT status IN ('DELIVERED', 'FAILED')
        OR coalesce(expires_at, created_at) < now() - interval '4 days'
$$;

-- Messages of an organization between two, oldest first, as far as an erasure needs them.
CREATE FUNCTION messages_to_erase(organization uuid, after uuid, until uuid, most bigint)
RETURNS TABLE (id uuid, recipient text, is_over boolean) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY SELECT log.id, log.recipient, is_over(log.status, log.expires_at, log.created_at)
        FROM delivery_logs log
        WHERE organization_id = organization AND log.id > after AND log.id <= until
        ORDER BY log.id LIMIT most;
END $$;
