CREATE OR REPLACE FUNCTION log_has_unfinished(before timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM delivery_jobs WHERE id < (SELECT uuid_floor(before)))
        OR EXISTS (SELECT FROM delivery_logs WHERE is_sandbox AND id < (SELECT uuid_floor(before)))
$$;
DROP TABLE scheduled_messages;
ALTER TABLE delivery_logs DROP COLUMN scheduled_at;
