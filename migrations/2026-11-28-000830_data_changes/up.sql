-- Changes of many rows that migrations leave to the service, worked off one after another in the order of
-- their numbers. A migration adds the row and a function `change_NAME(after text, most integer)`. The
-- function changes about `most` rows after a position and returns the last position, or NULL at the end.
CREATE TABLE data_changes (
    number      integer     PRIMARY KEY,
    name        text        NOT NULL UNIQUE CHECK (name ~ '^[a-z][a-z0-9_]*$'),
    -- Position of the last turn; NULL before the first.
    position    text,
    turns       bigint      NOT NULL DEFAULT 0,
    began_at    timestamptz,
    finished_at timestamptz
);
COMMENT ON TABLE data_changes IS 'instance-wide';

-- Takes a turn of the first change that is not finished, and returns its name; NULL if there is none, or if
-- another instance takes a turn.
CREATE FUNCTION advance_data_changes(most integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    change data_changes%ROWTYPE;
    reached text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('atumpan data changes')) THEN
        RETURN NULL;
    END IF;
    SELECT * INTO change FROM data_changes WHERE finished_at IS NULL ORDER BY number LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT %I($1, $2)', 'change_' || change.name) INTO reached
        USING change.position, most;
    UPDATE data_changes SET position = coalesce(reached, change.position), turns = change.turns + 1,
        began_at = coalesce(change.began_at, now()), finished_at = CASE WHEN reached IS NULL THEN now() END
    WHERE number = change.number;
    RETURN change.name;
END $$;

-- Stops a migration that needs the result of a change which is not finished.
CREATE FUNCTION require_data_change(wanted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM data_changes WHERE name = wanted AND finished_at IS NULL) THEN
        RAISE EXCEPTION 'the change of data "%" is not finished: run the release before until it is', wanted;
    END IF;
END $$;
