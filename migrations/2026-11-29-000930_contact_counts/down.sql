ALTER FUNCTION contact_bytes(text, jsonb, text[]) IMMUTABLE;

CREATE OR REPLACE FUNCTION count_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
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
        -- Concurrent statements wait here, and then see the blocks that this one began.
        SELECT * INTO known FROM contact_counts WHERE organization_id = own.id FOR UPDATE;
        IF TG_OP = 'INSERT' THEN
            -- A campaign counted its contacts up to there. The caller retries with new identifiers.
            IF own.contacts[1] <= known.closed_to THEN
                RAISE EXCEPTION 'a campaign has begun behind these contacts'
                    USING ERRCODE = 'unique_violation', CONSTRAINT = 'contacts_closed';
            END IF;
            -- A new block begins after all that was ever counted; otherwise it would contain some of it.
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

CREATE FUNCTION weigh_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    UPDATE contact_counts SET bytes = contact_counts.bytes + sign * own.bytes FROM (
        SELECT organization_id, sum(contact_bytes(search_text, attributes, tags)) AS bytes
        FROM changed GROUP BY organization_id
    ) AS own WHERE contact_counts.organization_id = ANY(ARRAY[own.organization_id]);
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_weighed_added AFTER INSERT ON contacts REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION weigh_contacts();
CREATE TRIGGER contacts_weighed_removed AFTER DELETE ON contacts REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION weigh_contacts();
