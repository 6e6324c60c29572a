-- Closes the contacts of an organization for a campaign that begins, and returns the greatest identifier up
-- to which they are closed: that of the newest contact, but at most `latest`. Every transaction that adds
-- contacts holds the lock of this row until it commits, so those that were being added are visible
-- afterwards. An organization that adds contacts in long transactions delays only its own campaigns.
--
-- The limit of the wait belongs to the function, so a caller needs one statement and no transaction.
CREATE FUNCTION close_contacts(organization uuid, latest uuid) RETURNS uuid LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
DECLARE
    closed uuid;
BEGIN
    INSERT INTO contact_counts AS own (organization_id, contacts, newest_id)
        VALUES (organization, 0, '00000000-0000-0000-0000-000000000000')
        ON CONFLICT (organization_id) DO UPDATE
        SET closed_to = greatest(own.closed_to, least(own.newest_id, latest))
        RETURNING closed_to INTO closed;
    RETURN closed;
END $$;
