-- What organizations are told --------------------------------------------------------------------

-- What happened that an organization's webhooks tell, written in the transaction in which it happened.
CREATE TABLE outbound_events (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    event           text        NOT NULL,
    data            jsonb       NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE outbound_events IS 'tenant';
CREATE INDEX outbound_events_created ON outbound_events (created_at);

-- Links by which recipients unsubscribe ------------------------------------------------------------

-- The codes of short links, one for each contact that was sent one.
CREATE TABLE unsubscribe_codes (
    organization_id uuid NOT NULL,
    contact_id      uuid NOT NULL,
    code            text NOT NULL,
    PRIMARY KEY (organization_id, contact_id),
    FOREIGN KEY (organization_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
COMMENT ON TABLE unsubscribe_codes IS 'tenant';
-- A link has nothing but its code.
CREATE INDEX unsubscribe_codes_code ON unsubscribe_codes (code);

-- Keys that are made once, and that all instances use.
CREATE TABLE service_keys (
    name    text PRIMARY KEY,
    secret  bytea       NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE service_keys IS 'global';
