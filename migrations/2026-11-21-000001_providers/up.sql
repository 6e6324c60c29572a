-- The providers that are declared, and those that once were.
CREATE TABLE providers (
    id         uuid PRIMARY KEY,
    name       text NOT NULL UNIQUE,
    kind       text NOT NULL,
    channel    text NOT NULL,
    is_active  boolean NOT NULL,
    routes     jsonb NOT NULL,
    declared_at timestamptz NOT NULL
);

-- What all instances think of a provider at the moment.
CREATE TABLE provider_standings (
    name          text PRIMARY KEY,
    breaker       text NOT NULL CHECK (breaker IN ('CLOSED', 'OPEN', 'PROBING')),
    breaker_until timestamptz,
    breaker_times smallint NOT NULL DEFAULT 0,
    demotion      smallint NOT NULL DEFAULT 0,
    demoted_at    timestamptz
);

-- Every look at a provider and every change of its standing, with the reason.
CREATE TABLE provider_health (
    id          uuid PRIMARY KEY,
    provider_id uuid NOT NULL REFERENCES providers,
    event       text NOT NULL CHECK (event IN ('CHECK', 'BREAKER', 'DEMOTION')),
    status      text NOT NULL,
    message     text NOT NULL,
    latency_ms  integer,
    at          timestamptz NOT NULL
);
CREATE INDEX provider_health_provider ON provider_health (provider_id, id);

-- How many messages a provider took in a minute, and for how many of them it has reported.
CREATE TABLE provider_minutes (
    provider  text NOT NULL,
    minute    timestamptz NOT NULL,
    shard     smallint NOT NULL,
    taken     bigint NOT NULL,
    reported  bigint NOT NULL,
    PRIMARY KEY (provider, minute, shard)
) WITH (fillfactor = 50);

-- Vendors' own identifiers of messages, for reports that know no other.
CREATE TABLE provider_references (
    provider   text NOT NULL,
    reference  text NOT NULL,
    message_id uuid NOT NULL,
    PRIMARY KEY (provider, reference)
);

-- Reports on messages that nobody knew when they came.
CREATE TABLE unmatched_reports (
    id          uuid PRIMARY KEY,
    provider    text NOT NULL,
    reference   text NOT NULL,
    event       jsonb NOT NULL,
    received_at timestamptz NOT NULL
);
CREATE INDEX unmatched_reports_reference ON unmatched_reports (provider, reference);

-- Who was written to by whom over a provider that can be answered, and when they last wrote.
CREATE TABLE conversations (
    provider        text NOT NULL,
    address         text NOT NULL,
    organization_id uuid NOT NULL,
    written_at      timestamptz NOT NULL,
    PRIMARY KEY (provider, address, organization_id)
);
CREATE TABLE sessions (
    provider   text NOT NULL,
    address    text NOT NULL,
    heard_at   timestamptz NOT NULL,
    PRIMARY KEY (provider, address)
);
