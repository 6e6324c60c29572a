-- PostgreSQL inlines a function only if its body is no less stable than it says, and array_to_string() is
-- stable. The calls for each contact were most of what the triggers of an import cost.
ALTER FUNCTION contact_bytes(text, jsonb, text[]) STABLE;

-- One trigger counts and weighs the contacts that a statement added or removed, reading them once.
CREATE OR REPLACE FUNCTION count_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    block_size CONSTANT integer := 5000;
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    own record;
    known contact_counts;
    blocks uuid[];
    newest_block uuid;
    first_new uuid;
BEGIN
    FOR own IN
        SELECT organization_id AS id, array_agg(id ORDER BY id) AS contacts,
            sum(contact_bytes(search_text, attributes, tags)) AS bytes
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
            first_new := own.contacts[1];
            IF first_new <= known.newest_id THEN
                SELECT id INTO first_new FROM unnest(own.contacts) AS id
                    WHERE id > known.newest_id ORDER BY id LIMIT 1;
            END IF;
            INSERT INTO contact_blocks
                SELECT own.id, coalesce(first_new, own.contacts[1]), 0
                FROM (SELECT) AS always LEFT JOIN (
                    SELECT contacts FROM contact_blocks WHERE organization_id = own.id
                    ORDER BY first_id DESC LIMIT 1
                ) AS newest ON true
                WHERE contacts IS NULL OR contacts >= block_size AND first_new IS NOT NULL;
        END IF;
        SELECT first_id INTO newest_block FROM contact_blocks WHERE organization_id = own.id
            ORDER BY first_id DESC LIMIT 1;
        IF own.contacts[1] >= newest_block THEN
            -- So are nearly all new contacts, and the other blocks need not be read.
            UPDATE contact_blocks SET contacts = contacts + sign * cardinality(own.contacts)
                WHERE organization_id = own.id AND first_id = newest_block;
        ELSE
            blocks := ARRAY(SELECT first_id FROM contact_blocks WHERE organization_id = own.id
                ORDER BY first_id);
            UPDATE contact_blocks SET contacts = contact_blocks.contacts + sign * part.contacts
                FROM (
                    SELECT blocks[greatest(1, width_bucket(id, blocks))] AS first_id,
                        count(*) AS contacts
                    FROM unnest(own.contacts) AS id GROUP BY 1
                ) AS part
                WHERE contact_blocks.organization_id = own.id
                    AND contact_blocks.first_id = ANY(ARRAY[part.first_id]);
        END IF;
        UPDATE contact_counts SET contacts = contacts + sign * cardinality(own.contacts),
                bytes = bytes + sign * own.bytes,
                newest_id = greatest(newest_id, own.contacts[cardinality(own.contacts)])
            WHERE organization_id = own.id;
        IF TG_OP = 'DELETE' THEN
            DELETE FROM contact_blocks WHERE organization_id = own.id AND contacts = 0;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

DROP TRIGGER contacts_weighed_added ON contacts;
DROP TRIGGER contacts_weighed_removed ON contacts;
DROP FUNCTION weigh_contacts();
