CREATE OR REPLACE FUNCTION erased_event(data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT data || coalesce(jsonb_object_agg(key, '[erased]'), '{}') FROM jsonb_each(data)
    WHERE key IN ('recipient', 'body', 'subject', 'errorMessage', 'phone', 'email')
        AND value <> 'null'
$$;
ALTER TABLE events DROP COLUMN country_code;
ALTER TABLE events DROP COLUMN sender;
ALTER TABLE campaigns DROP COLUMN is_sandbox;
ALTER TABLE campaigns DROP COLUMN metadata;
ALTER TABLE delivery_logs DROP COLUMN metadata;
