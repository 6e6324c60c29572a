ALTER TABLE api_keys
    -- Author of what the key writes; NULL for keys from before this was recorded.
    ADD COLUMN created_by uuid,
    -- Time at which the key got a successor.
    ADD COLUMN rotated_at timestamptz;

-- Number of calls made with a key on a day, in UTC. Instances count them in memory, and add them every
-- few seconds.
CREATE TABLE api_key_calls (
    organization_id uuid NOT NULL,
    key_id          uuid NOT NULL,
    day             date NOT NULL,
    accepted        bigint NOT NULL,
    refused         bigint NOT NULL,
    PRIMARY KEY (organization_id, key_id, day)
) WITH (fillfactor = 70);
CREATE INDEX api_key_calls_day ON api_key_calls (day);
COMMENT ON TABLE api_key_calls IS 'tenant';

-- Requests of authenticated callers that were answered with an error, of the last seven days.
CREATE TABLE refused_calls (
    organization_id uuid NOT NULL,
    call_id         uuid NOT NULL,
    -- As the client sent it: not unique.
    request_id      text NOT NULL,
    method          text NOT NULL,
    -- Without the query.
    path            text NOT NULL,
    status          smallint NOT NULL,
    code            text NOT NULL,
    message         text NOT NULL,
    api_key_id      uuid,
    user_id         uuid,
    address         text NOT NULL,
    -- True if it stands for several calls, which were not kept.
    is_sampled      boolean NOT NULL,
    at              timestamptz NOT NULL,
    PRIMARY KEY (organization_id, call_id)
);
-- Each filter of the list.
CREATE INDEX refused_calls_request ON refused_calls (organization_id, request_id, call_id);
CREATE INDEX refused_calls_status ON refused_calls (organization_id, status, call_id);
CREATE INDEX refused_calls_code ON refused_calls (organization_id, code, call_id);
CREATE INDEX refused_calls_key ON refused_calls (organization_id, api_key_id, call_id)
    WHERE api_key_id IS NOT NULL;
-- The purge.
CREATE INDEX refused_calls_at ON refused_calls (at);
COMMENT ON TABLE refused_calls IS 'tenant';
