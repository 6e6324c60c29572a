-- Money is counted in micros (10⁻⁶ GHS). Identifiers are UUIDv7, minted by the service.

-- Identity ---------------------------------------------------------------------------------------

CREATE TABLE users (
    id              uuid PRIMARY KEY,
    email           text NOT NULL,
    first_name      text NOT NULL,
    last_name       text NOT NULL,
    password_hash   text NOT NULL,
    platform_role   text CHECK (platform_role IN ('PLATFORM_SUPER_ADMIN')),
    session_version integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));

CREATE TABLE login_attempts (
    email        text PRIMARY KEY,
    attempts     integer NOT NULL,
    window_start timestamptz NOT NULL
);

CREATE TABLE password_reset_tokens (
    hash       bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_reset_tokens_user ON password_reset_tokens (user_id);

CREATE TABLE organizations (
    id                      uuid PRIMARY KEY,
    name                    text NOT NULL,
    industry                text,
    business_phone          text,
    business_email          text,
    timezone                text,
    default_language        text,
    website                 text,
    monthly_volume          integer,
    preferred_channels      text[] NOT NULL DEFAULT '{}',
    onboarding_complete     boolean NOT NULL DEFAULT false,
    compliance_acknowledged boolean NOT NULL DEFAULT false,
    created_at              timestamptz NOT NULL
);

CREATE TABLE members (
    organization_id uuid NOT NULL REFERENCES organizations,
    user_id         uuid NOT NULL REFERENCES users,
    role            text NOT NULL CHECK (role IN ('TENANT_OWNER', 'TENANT_ADMIN',
                        'CAMPAIGN_MANAGER', 'COMPLIANCE_REVIEWER', 'DEVELOPER', 'VIEWER')),
    joined_at       timestamptz NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE api_keys (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    hash            bytea NOT NULL UNIQUE,
    name            text NOT NULL,
    prefix          text NOT NULL,
    scopes          text[] NOT NULL,
    is_sandbox      boolean NOT NULL,
    expires_at      timestamptz,
    last_used_at    timestamptz,
    revoked_at      timestamptz,
    created_at      timestamptz NOT NULL
);
CREATE INDEX api_keys_organization ON api_keys (organization_id);

-- Money ------------------------------------------------------------------------------------------

CREATE TABLE wallets (
    organization_id uuid PRIMARY KEY REFERENCES organizations,
    balance_micros  bigint NOT NULL CONSTRAINT wallets_never_negative CHECK (balance_micros >= 0),
    updated_at      timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The balance of a wallet is the sum of its entries.
CREATE TABLE ledger_entries (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES wallets,
    kind            text NOT NULL,
    amount_micros   bigint NOT NULL,
    messages        integer NOT NULL DEFAULT 0,
    reference       text,
    created_at      timestamptz NOT NULL,
    CONSTRAINT ledger_entries_reference_key UNIQUE (kind, reference)
);
CREATE INDEX ledger_entries_organization ON ledger_entries (organization_id, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER ledger_entries_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE pricing_rules (
    id                uuid PRIMARY KEY,
    organization_id   uuid REFERENCES organizations,
    channel           text NOT NULL,
    country_code      text,
    unit_price_micros bigint NOT NULL CHECK (unit_price_micros >= 0),
    is_active         boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX pricing_rules_one_each ON pricing_rules
    (channel, coalesce(country_code, '*'), coalesce(organization_id::text, '*')) WHERE is_active;

INSERT INTO pricing_rules (id, channel, country_code, unit_price_micros) VALUES
    (gen_random_uuid(), 'SMS',      'GH',  35000),
    (gen_random_uuid(), 'SMS',      NULL, 350000),
    (gen_random_uuid(), 'WHATSAPP', 'GH',  60000),
    (gen_random_uuid(), 'WHATSAPP', NULL, 200000),
    (gen_random_uuid(), 'EMAIL',    'GH',   5000),
    (gen_random_uuid(), 'EMAIL',    NULL,   5000),
    (gen_random_uuid(), 'PUSH',     'GH',   1000),
    (gen_random_uuid(), 'PUSH',     NULL,   1000),
    (gen_random_uuid(), 'VOICE',    'GH', 120000),
    (gen_random_uuid(), 'VOICE',    NULL, 900000);

CREATE TABLE plans (
    id                 uuid PRIMARY KEY,
    name               text NOT NULL UNIQUE,
    monthly_fee_micros bigint NOT NULL CHECK (monthly_fee_micros >= 0),
    included_messages  integer NOT NULL,
    features           text[] NOT NULL,
    is_active          boolean NOT NULL DEFAULT true
);
INSERT INTO plans (id, name, monthly_fee_micros, included_messages, features) VALUES
    (gen_random_uuid(), 'Pay as you go',         0,      0,
        ARRAY['All channels', 'Sandbox keys', 'Webhooks']),
    (gen_random_uuid(), 'Growth',        250000000,  10000,
        ARRAY['All channels', 'Sandbox keys', 'Webhooks', 'Campaigns', 'Segments']),
    (gen_random_uuid(), 'Scale',        1500000000, 100000,
        ARRAY['All channels', 'Sandbox keys', 'Webhooks', 'Campaigns', 'Segments',
              'Dedicated sender names', 'Priority support']);

-- What decides about messages --------------------------------------------------------------------

CREATE TABLE templates (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    name            text NOT NULL,
    channel         text NOT NULL,
    category        text NOT NULL,
    country_code    text NOT NULL DEFAULT 'GH',
    language        text NOT NULL DEFAULT 'en',
    subject         text,
    body            text NOT NULL,
    variables       text[] NOT NULL DEFAULT '{}',
    status          text NOT NULL CHECK (status IN ('PENDING_APPROVAL', 'APPROVED', 'REJECTED')),
    created_at      timestamptz NOT NULL
);
CREATE INDEX templates_organization ON templates (organization_id, id);

-- One of phone and email; without a channel it holds for every channel.
CREATE TABLE suppressions (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    phone           text,
    email           text,
    channel         text,
    reason          text,
    created_at      timestamptz NOT NULL,
    CHECK (phone IS NOT NULL OR email IS NOT NULL)
);
CREATE INDEX suppressions_phone ON suppressions (organization_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX suppressions_email ON suppressions (organization_id, lower(email))
    WHERE email IS NOT NULL;

-- Messages ---------------------------------------------------------------------------------------

-- Partitioned by identifier, hence by time. `status` is in no index, so that its updates stay on
-- their page (HOT); half of each page is left free for them.
CREATE TABLE delivery_logs (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    channel         text NOT NULL,
    status          text NOT NULL,
    recipient       text NOT NULL,
    country_code    text NOT NULL,
    category        text NOT NULL,
    lane            smallint NOT NULL,
    sender          text,
    subject         text,
    body            text NOT NULL,
    segments        smallint NOT NULL,
    template_id     uuid,
    cost_micros     bigint NOT NULL,
    is_sandbox      boolean NOT NULL,
    is_confidential boolean NOT NULL,
    provider        text,
    attempts        jsonb NOT NULL DEFAULT '[]',
    error_code      text,
    error_message   text,
    vendor_code     text,
    created_at      timestamptz NOT NULL,
    sent_at         timestamptz,
    delivered_at    timestamptz,
    failed_at       timestamptz,
    PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX delivery_logs_organization ON delivery_logs (organization_id, id);
CREATE INDEX delivery_logs_channel ON delivery_logs (organization_id, channel, id);
CREATE INDEX delivery_logs_failed ON delivery_logs (organization_id, id)
    WHERE failed_at IS NOT NULL;

-- The smallest UUIDv7 of a time.
CREATE FUNCTION uuid_floor(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE STRICT AS $$
    SELECT rpad(lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- Makes the partitions of this month and of as many after it. Run at every start and daily.
CREATE FUNCTION prepare_delivery_logs(months integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    first timestamptz := date_trunc('month', now(), 'UTC');
    since timestamptz;
    until timestamptz;
    partition text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('prepare_delivery_logs'));
    FOR ahead IN 0..months LOOP
        since := (first AT TIME ZONE 'UTC' + make_interval(months => ahead)) AT TIME ZONE 'UTC';
        until := (first AT TIME ZONE 'UTC' + make_interval(months => ahead + 1)) AT TIME ZONE 'UTC';
        partition := 'delivery_logs_' || to_char(since AT TIME ZONE 'UTC', 'YYYY_MM');
        IF to_regclass(partition) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF delivery_logs FOR VALUES FROM (%L) TO (%L) WITH (fillfactor = 50)',
                partition, uuid_floor(since), uuid_floor(until));
        END IF;
    END LOOP;
END $$;
SELECT prepare_delivery_logs(3);
-- What no month holds, such as messages of a clock that is wrong.
CREATE TABLE delivery_logs_other PARTITION OF delivery_logs DEFAULT WITH (fillfactor = 50);

-- Messages that are due for something. A lease pushes `due_at` to its own end.
CREATE TABLE delivery_jobs (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    lane            smallint NOT NULL,
    -- Whether a provider has the message, and its report is waited for.
    is_follow_up    boolean NOT NULL DEFAULT false,
    due_at          timestamptz NOT NULL,
    lease           uuid,
    rounds          smallint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX delivery_jobs_turn ON delivery_jobs (lane, organization_id, due_at);

-- The processes that hold leases. Each has a range of leases for itself; those of one that shows no
-- sign of life are given to others before they end.
CREATE TABLE instances (
    first_lease uuid PRIMARY KEY,
    last_lease  uuid NOT NULL,
    seen_at     timestamptz NOT NULL
);

CREATE TABLE idempotency_keys (
    organization_id uuid NOT NULL,
    key             text NOT NULL,
    fingerprint     bytea NOT NULL,
    message_ids     uuid[] NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- How many messages are in which state, by the hour and the day of their acceptance. Several
-- shards of one count are kept apart so that their writers do not wait for each other; a single
-- shard may be negative, the sum never is.
CREATE TABLE delivery_log_counters (
    organization_id uuid NOT NULL,
    span            text NOT NULL CHECK (span IN ('HOUR', 'DAY')),
    starts_at       timestamptz NOT NULL,
    channel         text NOT NULL,
    status          text NOT NULL,
    is_sandbox      boolean NOT NULL,
    shard           smallint NOT NULL,
    messages        bigint NOT NULL,
    segments        bigint NOT NULL,
    cost_micros     bigint NOT NULL,
    PRIMARY KEY (organization_id, span, starts_at, channel, status, is_sandbox, shard)
) WITH (fillfactor = 50);

-- The organization in whose name the service sends its own messages ------------------------------

INSERT INTO organizations (id, name, created_at)
    VALUES ('00000000-0000-7000-8000-000000000000', 'Atumpan', now());
INSERT INTO wallets (organization_id, balance_micros, updated_at)
    VALUES ('00000000-0000-7000-8000-000000000000', 0, now());
