-- Types of rows that the service sends to the server, many of them as one array. A program sends as many fields
-- as its type has, so a type never changes: what gets another field is another type.

-- Line of the log as it is written when a message is accepted.
CREATE TYPE accepted_message AS (
    id              uuid,
    organization_id uuid,
    channel         text,
    status          text,
    recipient       text,
    country_code    text,
    category        text,
    priority        smallint,
    sender          text,
    subject         text,
    body            text,
    segments        smallint,
    template_id     uuid,
    cost_micros     bigint,
    is_sandbox      boolean,
    is_confidential boolean,
    attempts        jsonb,
    error_code      text,
    error_message   text,
    created_at      timestamptz,
    vendor_template jsonb,
    expires_at      timestamptz,
    campaign_id     uuid,
    trigger_id      uuid,
    retry_rules     jsonb,
    text_notes      jsonb,
    resent_from     uuid,
    metadata        jsonb,
    scheduled_at    timestamptz,
    event           text,
    contact_id      uuid
);

-- Job of a message that is accepted.
CREATE TYPE accepted_job AS (
    id              uuid,
    organization_id uuid,
    priority        smallint,
    lease           uuid,
    line            integer
);

-- Idempotency key, and the messages that are accepted under it.
CREATE TYPE used_key AS (
    organization_id uuid,
    is_sandbox      boolean,
    key             text,
    fingerprint     bytea,
    message_ids     uuid[]
);

-- Recipient who may be suppressed.
CREATE TYPE message_recipient AS (
    organization_id uuid,
    channel         text,
    category        text,
    recipient       text
);
