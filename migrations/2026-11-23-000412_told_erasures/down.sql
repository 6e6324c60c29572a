DROP FUNCTION file_waits_since_before(uuid, timestamptz);
DROP FUNCTION erased_event(jsonb);
DROP FUNCTION events_to_erase(uuid, uuid, uuid, bigint);
ALTER TABLE erasure_walks DROP COLUMN events_reached;
