DROP FUNCTION drop_months(text, timestamptz);
DROP TABLE webhook_deliveries;
ALTER TABLE outbound_events RENAME TO outbound_events_parted;
CREATE TABLE outbound_events (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    event           text        NOT NULL,
    data            jsonb       NOT NULL,
    created_at      timestamptz NOT NULL
);
COMMENT ON TABLE outbound_events IS 'tenant';
INSERT INTO outbound_events
    SELECT organization_id, id, event, data::jsonb, created_at FROM outbound_events_parted;
DROP TABLE outbound_events_parted;
ALTER TABLE outbound_events ADD PRIMARY KEY (organization_id, id);
CREATE INDEX outbound_events_created ON outbound_events (created_at);
DROP FUNCTION listens(uuid, text);
DROP TABLE webhook_endpoints;
DROP FUNCTION note_changed_endpoint();
