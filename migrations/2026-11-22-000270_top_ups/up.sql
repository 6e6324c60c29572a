-- Payments through a gateway that organizations want to make.
CREATE TABLE top_ups (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    -- What the gateway knows it by.
    reference       text        NOT NULL,
    amount_micros   bigint      NOT NULL CHECK (amount_micros > 0),
    method          text        NOT NULL,
    status          text        NOT NULL,
    requested_by    uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    credited_at     timestamptz,
    -- When the gateway is to be asked about it, as long as it is pending.
    check_at        timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK ((check_at IS NULL) = (status <> 'PENDING'))
);
COMMENT ON TABLE top_ups IS 'tenant';
CREATE UNIQUE INDEX top_ups_reference ON top_ups (organization_id, reference);
-- The gateway tells nothing but the reference.
CREATE INDEX top_ups_of_gateway ON top_ups (reference);
CREATE INDEX top_ups_due ON top_ups (check_at) WHERE status = 'PENDING';
CREATE INDEX top_ups_pending ON top_ups (organization_id) WHERE status = 'PENDING';
CREATE INDEX top_ups_unpaid ON top_ups (created_at) WHERE status IN ('FAILED', 'ABANDONED');

-- Signed events of the gateway, each once.
CREATE TABLE gateway_events (
    -- SHA-256 of the whole body.
    hash        bytea       PRIMARY KEY,
    kind        text,
    reference   text,
    -- The beginning of the body, byte for byte.
    body        bytea       NOT NULL,
    body_bytes  integer     NOT NULL,
    received_at timestamptz NOT NULL,
    -- Null until it is known.
    outcome     text
);
COMMENT ON TABLE gateway_events IS 'global';
CREATE INDEX gateway_events_received ON gateway_events (received_at);

-- Payments that succeeded and could not be credited.
CREATE TABLE payment_exceptions (
    id              uuid        PRIMARY KEY,
    reference       text        NOT NULL,
    reason          text        NOT NULL,
    amount_micros   bigint,
    currency        text,
    expected_micros bigint,
    organization_id uuid,
    noticed_at      timestamptz NOT NULL,
    resolved_at     timestamptz,
    resolved_by     uuid,
    comment         text
);
COMMENT ON TABLE payment_exceptions IS 'global';
CREATE UNIQUE INDEX payment_exceptions_reference ON payment_exceptions (reference, reason);
CREATE INDEX payment_exceptions_open ON payment_exceptions (id) WHERE resolved_at IS NULL;
CREATE INDEX payment_exceptions_resolved ON payment_exceptions (resolved_at)
    WHERE resolved_at IS NOT NULL;

-- The payments of the simulated gateway, which production does not have.
CREATE TABLE simulated_payments (
    reference       text        PRIMARY KEY,
    organization_id uuid        NOT NULL,
    amount_micros   bigint      NOT NULL,
    method          text        NOT NULL,
    status          text        NOT NULL,
    created_at      timestamptz NOT NULL,
    -- When our webhook is to be told of it, and how often that was tried.
    tell_at         timestamptz,
    tellings        integer     NOT NULL DEFAULT 0
);
COMMENT ON TABLE simulated_payments IS 'global';
CREATE INDEX simulated_payments_untold ON simulated_payments (tell_at) WHERE tell_at IS NOT NULL;
CREATE INDEX simulated_payments_created ON simulated_payments (created_at);
