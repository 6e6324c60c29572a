-- Templates that are not deleted: a filter looks at each of them, and deleted ones stay for years. Nothing
-- has been released yet, so no instance writes while the index is made.
DO $$ BEGIN
    EXECUTE 'CREATE INDEX templates_present ON templates (organization_id, id) WHERE deleted_at IS NULL';
END $$;

-- Number of rows of `imported_contacts` that the undo has still to work on; NULL if none was requested. Rows
-- that were purged before are missing at its end.
ALTER TABLE imports ADD COLUMN undo_parts integer;
ALTER TABLE imports DROP CONSTRAINT imports_undo_status_check;
ALTER TABLE imports ADD CONSTRAINT imports_undo_status_check
    CHECK (undo_status IN ('QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED')) NOT VALID;

-- Returns the newest message to each of the recipients that is no message of the sandbox, of those with
-- `since` <= id: it is among the newest 1,000, or is not found. The index on recipients is the only one with
-- the order of each answer. The statement is planned for its values, which leaves out the months before
-- `since`.
CREATE OR REPLACE FUNCTION last_messages(organization uuid, since uuid, recipients text[])
RETURNS TABLE (recipient text, status text, created_at timestamptz) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY EXECUTE 'SELECT given.recipient, newest.status, newest.created_at '
        'FROM unnest($3) AS given (recipient) CROSS JOIN LATERAL ('
            'SELECT status, created_at FROM ('
                'SELECT hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) AS hash, '
                    'id, status, created_at, is_sandbox FROM delivery_logs '
                'WHERE organization_id = $1 AND id >= $2 AND recipient = given.recipient '
                    'AND hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) '
                        'BETWEEN hashtextextended(given.recipient, uuid_hash_extended($1, 0)) '
                        'AND hashtextextended(given.recipient, uuid_hash_extended($1, 0)) '
                'ORDER BY hashtextextended(recipient, uuid_hash_extended(organization_id, 0)) DESC, '
                    'id DESC LIMIT 1000) AS looked_at '
            'WHERE NOT is_sandbox ORDER BY hash DESC, id DESC LIMIT 1) AS newest'
        USING organization, since, recipients;
END $$;
