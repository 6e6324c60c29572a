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

ALTER TABLE contact_counts DROP COLUMN closed_to;
