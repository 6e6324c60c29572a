-- Changes of rows that instances cache. Triggers write them, and every instance reads those that have become
-- visible since it last read. They are deleted after an hour.
CREATE TABLE changes (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Transaction that made the change.
    xid             xid8        NOT NULL DEFAULT pg_current_xact_id(),
    -- Kind of what is cached, as in `ports::shared::signals::Change`.
    kind            text        NOT NULL,
    -- Owner of what has changed; NULL if it belongs to no organization.
    organization_id uuid,
    -- Key of what has changed; NULL if its kind has no keys, or all of the organization is meant.
    key             text,
    at              timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX changes_xid ON changes (xid);
-- The purge.
CREATE INDEX changes_at ON changes (at);
COMMENT ON TABLE changes IS 'instance-wide';

-- Logs the change of a row. The arguments are the kind, and the columns of the organization and of the key. A
-- subscription that copies an organization has no search path.
CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT SET bytea_output TO hex AS $$
DECLARE
    changed CONSTANT jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
    INSERT INTO changes (kind, organization_id, key)
        VALUES (TG_ARGV[0], (changed ->> TG_ARGV[1])::uuid, changed ->> TG_ARGV[2]);
    RETURN NULL;
END $$;

-- No trigger may fire with each message: what messages update beside cached columns is left out, by WHEN also
-- for a subscription, which updates all columns.

CREATE TRIGGER api_keys_logged AFTER UPDATE ON api_keys FOR EACH ROW
    WHEN ((OLD.hash, OLD.scopes, OLD.is_sandbox, OLD.expires_at, OLD.revoked_at)
        IS DISTINCT FROM (NEW.hash, NEW.scopes, NEW.is_sandbox, NEW.expires_at, NEW.revoked_at))
    EXECUTE FUNCTION log_change('api-keys', 'organization_id', 'hash');
CREATE TRIGGER api_keys_delete_logged AFTER DELETE ON api_keys FOR EACH ROW
    EXECUTE FUNCTION log_change('api-keys', 'organization_id', 'hash');

-- Policies of organizations: settings, sender names, subscriptions of endpoints, and stops of traffic.
CREATE TRIGGER organizations_logged AFTER UPDATE ON organizations FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.*)
    EXECUTE FUNCTION log_change('organizations', 'id');
CREATE TRIGGER sender_names_logged AFTER INSERT OR UPDATE OR DELETE ON sender_names FOR EACH ROW
    EXECUTE FUNCTION log_change('organizations', 'organization_id');
CREATE TRIGGER webhook_endpoints_insert_delete_logged AFTER INSERT OR DELETE ON webhook_endpoints FOR EACH ROW
    EXECUTE FUNCTION log_change('organizations', 'organization_id');
CREATE TRIGGER webhook_endpoints_logged AFTER UPDATE ON webhook_endpoints FOR EACH ROW
    WHEN ((OLD.events, OLD.is_active) IS DISTINCT FROM (NEW.events, NEW.is_active))
    EXECUTE FUNCTION log_change('organizations', 'organization_id');
CREATE TRIGGER traffic_alerts_insert_logged AFTER INSERT ON traffic_alerts FOR EACH ROW
    WHEN (NEW.stopped_until IS NOT NULL)
    EXECUTE FUNCTION log_change('organizations', 'organization_id');
CREATE TRIGGER traffic_alerts_logged AFTER UPDATE ON traffic_alerts FOR EACH ROW
    WHEN ((OLD.stopped_until, OLD.lifted_at) IS DISTINCT FROM (NEW.stopped_until, NEW.lifted_at))
    EXECUTE FUNCTION log_change('organizations', 'organization_id');

-- The row of prices that any change of a rule updates.
CREATE TRIGGER pricing_version_logged AFTER UPDATE ON pricing_version FOR EACH ROW
    EXECUTE FUNCTION log_change('prices');

-- An event that is new is cached nowhere. A template may belong to any event of its organization.
CREATE TRIGGER events_logged AFTER UPDATE OR DELETE ON events FOR EACH ROW
    EXECUTE FUNCTION log_change('events', 'organization_id', 'slug');
CREATE TRIGGER templates_logged AFTER UPDATE ON templates FOR EACH ROW
    EXECUTE FUNCTION log_change('events', 'organization_id');

-- Reasons that hold messages back.
CREATE TRIGGER organizations_suspension_logged AFTER UPDATE ON organizations FOR EACH ROW
    WHEN (OLD.suspended_at IS DISTINCT FROM NEW.suspended_at)
    EXECUTE FUNCTION log_change('holds', 'id');
CREATE TRIGGER sending_windows_logged AFTER INSERT OR UPDATE OR DELETE ON sending_windows FOR EACH ROW
    EXECUTE FUNCTION log_change('holds');
CREATE TRIGGER campaigns_insert_logged AFTER INSERT ON campaigns FOR EACH ROW
    WHEN (NEW.status IN ('PAUSED', 'CANCELLED'))
    EXECUTE FUNCTION log_change('holds', 'organization_id');
CREATE TRIGGER campaigns_logged AFTER UPDATE ON campaigns FOR EACH ROW
    WHEN ((OLD.status, OLD.paused_reason, OLD.settled_at)
        IS DISTINCT FROM (NEW.status, NEW.paused_reason, NEW.settled_at))
    EXECUTE FUNCTION log_change('holds', 'organization_id');

CREATE TRIGGER provider_states_logged AFTER INSERT OR UPDATE OR DELETE ON provider_states FOR EACH ROW
    EXECUTE FUNCTION log_change('providers');

DO $$
DECLARE
    logged record;
BEGIN
    -- They also fire for what a subscription writes.
    FOR logged IN SELECT tgrelid::regclass AS owner, tgname AS name FROM pg_trigger
        WHERE tgfoid = 'log_change'::regproc
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', logged.owner, logged.name);
    END LOOP;
    -- Deletions no longer leave marked rows for a day. Nothing has been released yet, so no instance polls for
    -- the marks, or for the times of changes.
    DELETE FROM events WHERE deleted_at IS NOT NULL;
    DELETE FROM sender_names WHERE deleted_at IS NOT NULL;
END $$;
