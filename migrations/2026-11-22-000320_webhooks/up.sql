-- Endpoints -----------------------------------------------------------------------------------------

-- Addresses at which organizations are told what happened.
CREATE TABLE webhook_endpoints (
    organization_id       uuid        NOT NULL,
    id                    uuid        NOT NULL,
    url                   text        NOT NULL,
    -- Null is all.
    events                text[],
    is_active             boolean     NOT NULL DEFAULT true,
    -- Why the service deactivated it.
    deactivation          text,
    secret                text        NOT NULL,
    previous_secret       text,
    previous_secret_until timestamptz,
    -- It is told what happens from then on.
    begins_at             timestamptz NOT NULL,
    -- Since when every call has failed.
    failing_since         timestamptz,
    -- When its owners were told so.
    notified_at           timestamptz,
    -- Who calls it at present, and until when at the most.
    lease                 uuid,
    leased_until          timestamptz,
    created_at            timestamptz NOT NULL,
    changed_at            timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE webhook_endpoints IS 'tenant';
CREATE INDEX webhook_endpoints_changed ON webhook_endpoints (changed_at);
CREATE INDEX webhook_endpoints_leased ON webhook_endpoints (lease) WHERE lease IS NOT NULL;

-- What is told is known from its row, so whoever keeps it must hear that it changed. Leases and failures
-- change nothing of that.
CREATE FUNCTION note_changed_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at = now();
    RETURN NEW;
END $$;
CREATE TRIGGER webhook_endpoints_changed BEFORE UPDATE OF events, is_active ON webhook_endpoints
    FOR EACH ROW EXECUTE FUNCTION note_changed_endpoint();

-- Whether an organization is told of an event.
CREATE FUNCTION listens(organization uuid, event text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM webhook_endpoints endpoint
        WHERE endpoint.organization_id = listens.organization AND endpoint.is_active
            AND (endpoint.events IS NULL OR listens.event = ANY(endpoint.events)))
$$;

-- Events --------------------------------------------------------------------------------------------

-- What is told, as it is told, in monthly partitions, of which the old ones are dropped.
ALTER TABLE outbound_events RENAME TO outbound_events_whole;
ALTER TABLE outbound_events_whole RENAME CONSTRAINT outbound_events_pkey TO outbound_events_whole_pkey;
CREATE TABLE outbound_events (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    event           text        NOT NULL,
    -- To what it happened: events with one subject are told in their order.
    subject_id      uuid        NOT NULL,
    data            text        NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);
COMMENT ON TABLE outbound_events IS 'tenant';
CREATE TABLE outbound_events_other PARTITION OF outbound_events DEFAULT;
COMMENT ON TABLE outbound_events_other IS 'tenant';
SELECT prepare_month('outbound_events', ahead) FROM generate_series(-1, 3) AS ahead;
INSERT INTO outbound_events (organization_id, id, event, subject_id, data, created_at)
    SELECT organization_id, id, event, id, data::text, created_at FROM outbound_events_whole;
DROP TABLE outbound_events_whole;

-- Deliveries ----------------------------------------------------------------------------------------

-- What each endpoint is told, and how far that came. Its identifier is that of the event.
CREATE TABLE webhook_deliveries (
    organization_id uuid        NOT NULL,
    endpoint_id     uuid        NOT NULL,
    id              uuid        NOT NULL,
    status          text        NOT NULL DEFAULT 'PENDING'
        CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED')),
    -- When it is tried, or tried again; null when nothing more is tried.
    due_at          timestamptz DEFAULT clock_timestamp(),
    attempts        smallint    NOT NULL DEFAULT 0,
    -- What came of the last attempt.
    attempted_at    timestamptz,
    status_code     smallint,
    failure         text,
    took_millis     integer,
    PRIMARY KEY (organization_id, endpoint_id, id)
) PARTITION BY RANGE (id);
COMMENT ON TABLE webhook_deliveries IS 'tenant';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, endpoint_id, due_at, id)
    WHERE due_at IS NOT NULL;
CREATE TABLE webhook_deliveries_other PARTITION OF webhook_deliveries DEFAULT;
COMMENT ON TABLE webhook_deliveries_other IS 'tenant';
SELECT prepare_month('webhook_deliveries', ahead) FROM generate_series(-1, 3) AS ahead;

-- Drops the monthly partitions of a table that hold nothing younger than a moment, and deletes what the
-- default partition holds of that time.
CREATE FUNCTION drop_months(parent text, before timestamptz) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '3s' AS $$
DECLARE
    partition text;
BEGIN
    FOR partition IN
        SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
        WHERE inhparent = parent::regclass AND child.relname ~ '_[0-9]{4}_[0-9]{2}$'
            AND to_date(right(child.relname, 7), 'YYYY_MM') + interval '1 month'
                <= before AT TIME ZONE 'UTC'
    LOOP
        EXECUTE format('DROP TABLE %I', partition);
    END LOOP;
    EXECUTE format('DELETE FROM %I WHERE id < %L', parent || '_other', uuid_floor(before));
END $$;
