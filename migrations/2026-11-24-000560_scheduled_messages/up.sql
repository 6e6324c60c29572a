ALTER TABLE delivery_logs
    -- Time for which its sender scheduled a message; NULL for those that were to go at once.
    ADD COLUMN scheduled_at timestamptz;

-- Accepted messages that wait for their time. They are apart from delivery_jobs, so that however many of
-- them there are, a claim of what is due reads none.
CREATE TABLE scheduled_messages (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    due_at          timestamptz NOT NULL,
    -- As in delivery_jobs.
    priority        smallint    NOT NULL,
    line            integer     NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (due_at);
-- The retention of the log.
CREATE INDEX scheduled_messages_id ON scheduled_messages (id);
COMMENT ON TABLE scheduled_messages IS 'tenant';

-- Returns true if a message from before a time is unfinished, scheduled or in the sandbox. Sandbox messages
-- are purged separately, with all that belongs to them.
CREATE OR REPLACE FUNCTION log_has_unfinished(before timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM delivery_jobs WHERE id < (SELECT uuid_floor(before)))
        OR EXISTS (SELECT FROM scheduled_messages WHERE id < (SELECT uuid_floor(before)))
        OR EXISTS (SELECT FROM delivery_logs WHERE is_sandbox AND id < (SELECT uuid_floor(before)))
$$;
