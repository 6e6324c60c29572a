-- Returns a hash of each pair of a message's metadata with its organization.
CREATE FUNCTION metadata_hashes(organization uuid, metadata jsonb) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_agg(hashtextextended(value, hashtextextended(key, uuid_hash_extended(organization, 0))))
    FROM jsonb_each_text(metadata)
$$;

-- Finding messages by their metadata; messages without any are not in it. The list of what is not sorted
-- in yet is short, because each search reads all of it.
-- Nothing has been released yet, so no instance writes while the index is made.
DO $$
BEGIN
    EXECUTE 'CREATE INDEX delivery_logs_metadata ON delivery_logs '
        'USING gin (metadata_hashes(organization_id, metadata)) WITH (gin_pending_list_limit = 256) '
        'WHERE metadata IS NOT NULL';
END $$;

-- Returns messages of an organization that have pairs among their metadata, with `since` <= id < `below`,
-- in no order, at most `most`.
CREATE FUNCTION messages_with_metadata(organization uuid, since uuid, below uuid, pairs jsonb, most bigint)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
BEGIN
    -- Planned for its values, which tell common pairs from rare ones. The organization is compared in a
    -- way that no index knows, so that no index but the one on metadata suits.
    RETURN QUERY EXECUTE 'SELECT id FROM delivery_logs WHERE metadata IS NOT NULL '
        'AND metadata_hashes(organization_id, metadata) @> metadata_hashes($1, $4) '
        'AND organization_id IS NOT DISTINCT FROM $1 AND metadata @> $4 '
        'AND id >= $2 AND id < $3 LIMIT $5'
        USING organization, since, below, pairs, most;
END $$;
