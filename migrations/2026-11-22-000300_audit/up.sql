-- The audit log as a chain ---------------------------------------------------------------------------

-- Each line of an organization has the hash of the one before it in its own hash. Lines of before have
-- no request.
ALTER TABLE audit_log
    ADD COLUMN request_id   text,
    -- Whether an administrator did it while acting as the organization.
    ADD COLUMN impersonated boolean NOT NULL DEFAULT false,
    -- Which line of its organization it is, from 1, without gaps.
    ADD COLUMN sequence     bigint,
    ADD COLUMN hash         bytea;

-- Where the chain of each organization ends, and where it begins: what is older is deleted. Lines are
-- added one after the other, because each locks the row.
CREATE TABLE audit_heads (
    organization_id uuid        PRIMARY KEY,
    -- Of the newest line.
    sequence        bigint      NOT NULL,
    hash            bytea       NOT NULL CHECK (octet_length(hash) = 32),
    at              timestamptz NOT NULL,
    -- Of the newest line that was deleted.
    purged_sequence bigint      NOT NULL DEFAULT 0,
    purged_hash     bytea       NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
        CHECK (octet_length(purged_hash) = 32)
);
COMMENT ON TABLE audit_heads IS 'tenant';

-- A value with its length, so that two never read as one.
CREATE FUNCTION audit_value(value text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-') $$;

-- The hash of a line that follows the one of `previous`: SHA-256 of that hash and of all that the line
-- says. `domain::chain` does the same.
CREATE FUNCTION audit_hash(previous bytea, line audit_log) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(previous || convert_to(
        audit_value(line.organization_id::text) || audit_value(line.sequence::text)
        || audit_value(line.id::text)
        || audit_value((extract(epoch FROM line.at) * 1000000)::bigint::text)
        || audit_value(line.user_id::text) || audit_value(line.action)
        || audit_value(line.resource_type) || audit_value(line.resource_id::text)
        || audit_value(line.request_id) || audit_value(line.impersonated::text)
        || audit_value(line.details::text), 'UTF8')) $$;

-- Gives a line its place in the chain. Its time is not before that of the line before it, so that the
-- lines that are deleted for their age are the first ones of a chain.
CREATE FUNCTION chain_audit_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head audit_heads;
BEGIN
    INSERT INTO audit_heads (organization_id, sequence, hash, at)
        VALUES (NEW.organization_id, 0, decode(repeat('00', 32), 'hex'), NEW.at)
        ON CONFLICT (organization_id) DO NOTHING;
    SELECT * INTO STRICT head FROM audit_heads
        WHERE organization_id = NEW.organization_id FOR UPDATE;
    NEW.sequence := head.sequence + 1;
    NEW.at := greatest(NEW.at, head.at);
    NEW.hash := audit_hash(head.hash, NEW);
    UPDATE audit_heads SET sequence = NEW.sequence, hash = NEW.hash, at = NEW.at
        WHERE organization_id = NEW.organization_id;
    RETURN NEW;
END $$;

-- The lines of before, in the order of their times.
DROP TRIGGER audit_log_append_only ON audit_log;
DO $$
DECLARE
    line audit_log;
    head audit_heads;
BEGIN
    FOR line IN SELECT * FROM audit_log ORDER BY organization_id, at, id LOOP
        IF head.organization_id IS DISTINCT FROM line.organization_id THEN
            INSERT INTO audit_heads (organization_id, sequence, hash, at)
                VALUES (line.organization_id, 0, decode(repeat('00', 32), 'hex'), line.at)
                RETURNING * INTO head;
        END IF;
        line.sequence := head.sequence + 1;
        line.hash := audit_hash(head.hash, line);
        UPDATE audit_log SET sequence = line.sequence, hash = line.hash
            WHERE organization_id = line.organization_id AND id = line.id;
        UPDATE audit_heads SET sequence = line.sequence, hash = line.hash, at = line.at
            WHERE organization_id = line.organization_id RETURNING * INTO head;
    END LOOP;
END $$;
ALTER TABLE audit_log
    ALTER COLUMN sequence SET NOT NULL,
    ALTER COLUMN hash SET NOT NULL;
CREATE UNIQUE INDEX audit_log_sequence ON audit_log (organization_id, sequence);
-- Administrators look across organizations, also for what somebody did and for what was done.
DROP INDEX audit_log_at;
CREATE INDEX audit_log_at ON audit_log (at, id);
CREATE INDEX audit_log_user ON audit_log (user_id, at, id);
CREATE INDEX audit_log_action ON audit_log (action, at, id);

CREATE TRIGGER audit_log_chained BEFORE INSERT ON audit_log
    FOR EACH ROW EXECUTE FUNCTION chain_audit_line();
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Lines are kept for 25 months, as `maintenance.rs` says.
CREATE FUNCTION keep_audit_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.at >= now() - interval '25 months' THEN
        RAISE EXCEPTION 'audit_log is append-only: a line is kept for 25 months';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION keep_audit_line();

-- Remembers the hash with which the first kept line begins. Locks in the order of the organizations.
CREATE FUNCTION note_purged_audit_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM audit_heads WHERE organization_id IN (SELECT organization_id FROM gone)
        ORDER BY organization_id FOR UPDATE;
    UPDATE audit_heads head SET purged_sequence = last.sequence, purged_hash = last.hash
    FROM (SELECT DISTINCT ON (organization_id) organization_id, sequence, hash FROM gone
        ORDER BY organization_id, sequence DESC) AS last
    WHERE head.organization_id = last.organization_id AND head.purged_sequence < last.sequence;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_log_purged AFTER DELETE ON audit_log REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION note_purged_audit_lines();

-- Sessions that ended before their time --------------------------------------------------------------

-- By the `jti` of their tokens. Kept until the tokens would have expired.
CREATE TABLE revoked_sessions (
    id         uuid        PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE revoked_sessions IS 'global';
CREATE INDEX revoked_sessions_expires ON revoked_sessions (expires_at);
