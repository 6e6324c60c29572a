-- Time at which a person or a file last wrote the contact.
ALTER TABLE contacts ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

-- Each of these functions reads by one index, whatever the planner assumes: its statistics are of all
-- organizations together, and are wrong for the largest one.

-- Returns any contacts that have one of the tags, by their index keys.
CREATE FUNCTION contacts_with_tags(keys text[], most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
    RETURN QUERY SELECT id FROM contacts
        WHERE contact_tag_keys(organization_id, tags_folded) && keys LIMIT most;
END $$;

-- Returns any contacts with a suppressed address, of the first `most` entries of the list.
CREATE FUNCTION suppressed_contacts(organization uuid, most bigint) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY
        WITH entry AS MATERIALIZED (
            SELECT phone, lower(email) AS email FROM suppressions
            WHERE organization_id = organization ORDER BY id DESC LIMIT most
        )
        SELECT found.id FROM entry CROSS JOIN LATERAL (
            SELECT id FROM contacts WHERE organization_id = organization
                AND phone BETWEEN entry.phone AND entry.phone ORDER BY phone LIMIT 1) AS found
        UNION ALL
        SELECT found.id FROM entry CROSS JOIN LATERAL (
            SELECT id FROM contacts WHERE organization_id = organization
                AND email BETWEEN entry.email AND entry.email ORDER BY email LIMIT 1) AS found
        UNION ALL
        SELECT found.id FROM entry CROSS JOIN LATERAL (
            SELECT id FROM contacts WHERE organization_id = organization
                AND fcm_token BETWEEN entry.phone AND entry.phone ORDER BY fcm_token LIMIT most) AS found
        LIMIT most;
END $$;

-- Returns members of a segment with identifiers below `below`, newest first. Its rows hold ascending
-- identifiers, so that no row beyond those of the answer is read.
CREATE FUNCTION segment_members_before(organization uuid, segment uuid, below uuid, most bigint)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    part uuid[];
    reached uuid := coalesce(
        (SELECT last_contact_id FROM segment_members
            WHERE organization_id = organization AND segment_id = segment AND last_contact_id >= below
            ORDER BY last_contact_id LIMIT 1),
        'ffffffff-ffff-ffff-ffff-ffffffffffff');
    found bigint := 0;
    returned bigint;
BEGIN
    FOR part IN
        SELECT contact_ids FROM segment_members
        WHERE organization_id = organization AND segment_id = segment AND last_contact_id <= reached
        ORDER BY last_contact_id DESC
    LOOP
        RETURN QUERY SELECT member FROM unnest(part) AS member WHERE member < below
            ORDER BY member DESC LIMIT most - found;
        GET DIAGNOSTICS returned = ROW_COUNT;
        found := found + returned;
        EXIT WHEN found >= most;
    END LOOP;
END $$;

-- Returns entries of the suppression list for numbers, devices and mail addresses, at most a hundred for
-- each of them.
CREATE FUNCTION suppressions_of(organization uuid, phones text[], emails text[])
RETURNS TABLE (id uuid, organization_id uuid, phone text, email text, channel text, category text,
    reason text, source text, created_at timestamptz) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY
        SELECT entry.id, entry.organization_id, entry.phone, entry.email, entry.channel, entry.category,
            entry.reason, entry.source, entry.created_at
        FROM unnest(phones) AS given (phone) CROSS JOIN LATERAL (
            SELECT * FROM suppressions AS own WHERE own.organization_id = organization
                AND own.phone BETWEEN given.phone AND given.phone ORDER BY own.phone LIMIT 100) AS entry
        UNION
        SELECT entry.id, entry.organization_id, entry.phone, entry.email, entry.channel, entry.category,
            entry.reason, entry.source, entry.created_at
        FROM unnest(emails) AS given (email) CROSS JOIN LATERAL (
            SELECT * FROM suppressions AS own WHERE own.organization_id = organization
                AND lower(own.email) BETWEEN given.email AND given.email
            ORDER BY lower(own.email) LIMIT 100) AS entry;
END $$;

-- Returns the newest message to each of the recipients, of those with `since` <= id. The index on
-- recipients is the only one with the order of each answer. The statement is planned for its values, which
-- leaves out the months before `since`.
CREATE FUNCTION last_messages(organization uuid, since uuid, recipients text[])
RETURNS TABLE (recipient text, status text, created_at timestamptz) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY EXECUTE 'SELECT given.recipient, newest.status, newest.created_at '
        'FROM unnest($3) AS given (recipient) CROSS JOIN LATERAL ('
            'SELECT status, created_at FROM delivery_logs '
            'WHERE organization_id = $1 AND id >= $2 AND recipient = given.recipient '
                'AND hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) '
                    'BETWEEN hashtextextended(given.recipient, uuid_hash_extended($1, 0)) '
                    'AND hashtextextended(given.recipient, uuid_hash_extended($1, 0)) '
            'ORDER BY hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) DESC, id DESC '
            'LIMIT 1) AS newest'
        USING organization, since, recipients;
END $$;
