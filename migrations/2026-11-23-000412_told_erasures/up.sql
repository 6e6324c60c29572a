-- How far a walk has come among what was told of messages, after the messages themselves.
ALTER TABLE erasure_walks
    ADD COLUMN events_reached uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

-- What was told to an organization between two, oldest first, as far as an erasure needs it.
CREATE FUNCTION events_to_erase(organization uuid, after uuid, until uuid, most bigint)
RETURNS TABLE (id uuid, data jsonb) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY SELECT told.id, told.data::jsonb FROM outbound_events told
        WHERE organization_id = organization AND told.id > after AND told.id <= until
        ORDER BY told.id LIMIT most;
END $$;

-- The same without what is of the person.
CREATE FUNCTION erased_event(data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT data || coalesce(jsonb_object_agg(key, '[erased]'), '{}') FROM jsonb_each(data)
    WHERE key IN ('recipient', 'body', 'subject', 'errorMessage', 'phone', 'email')
        AND value <> 'null'
$$;

-- Whether a file of contacts came in before a time and is not done.
CREATE FUNCTION file_waits_since_before(organization uuid, moment timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM imports
        WHERE organization_id = organization AND kind = 'CONTACTS' AND created_at < moment
            AND status IN ('UPLOADING', 'QUEUED', 'PROCESSING')
            AND (status <> 'UPLOADING' OR created_at > now() - interval '15 minutes'))
$$;
