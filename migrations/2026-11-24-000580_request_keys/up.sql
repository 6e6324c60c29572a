-- Idempotency keys of requests that make something, except those that accept messages: these have
-- idempotency_keys. A key of a user outside of organizations belongs to the platform's organization.
CREATE TABLE request_keys (
    organization_id uuid NOT NULL,
    -- The nil UUID for the keys of an organization, which its callers share.
    user_id         uuid NOT NULL,
    is_sandbox      boolean NOT NULL,
    key             text NOT NULL,
    -- Changes whenever the request is begun anew: an earlier attempt can no longer end it.
    claim_id        uuid NOT NULL,
    -- Hash of the request. NULL until a body that is read while it is worked on has ended.
    fingerprint     bytea,
    -- Time at which a request without an answer counts as broken off.
    leased_until    timestamptz NOT NULL,
    -- Status of the answer. NULL while the request is in progress.
    status          smallint,
    -- Body of the answer, sealed, because it may hold a secret. NULL if it was too large to keep.
    body            bytea,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, user_id, is_sandbox, key)
);
-- The purge.
CREATE INDEX request_keys_expires_at ON request_keys (expires_at);
COMMENT ON TABLE request_keys IS 'tenant';
