-- Sender names -----------------------------------------------------------------------------------

-- The names that organizations asked for, each for a channel and a country. One that was deleted stays
-- for a day, so that every instance hears of it.
CREATE TABLE sender_names (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    name            text        NOT NULL,
    channel         text        NOT NULL,
    country_code    text        NOT NULL,
    claim           text        NOT NULL,
    status          text        NOT NULL,
    created_at      timestamptz NOT NULL,
    changed_at      timestamptz,
    deleted_at      timestamptz,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE sender_names IS 'tenant';
-- An organization asks for the same once.
CREATE UNIQUE INDEX sender_names_same ON sender_names (organization_id, claim, channel, country_code)
    WHERE deleted_at IS NULL AND status <> 'REJECTED';
-- Instances ask a few times a second what was decided.
CREATE INDEX sender_names_changed ON sender_names (changed_at) WHERE changed_at IS NOT NULL;
CREATE INDEX sender_names_deleted ON sender_names (deleted_at) WHERE deleted_at IS NOT NULL;

-- Which organization a name belongs to, on all channels and in all countries.
CREATE TABLE sender_name_claims (
    claim           text PRIMARY KEY,
    organization_id uuid        NOT NULL,
    claimed_at      timestamptz NOT NULL
);
COMMENT ON TABLE sender_name_claims IS 'global';

-- Screening --------------------------------------------------------------------------------------

ALTER TABLE organizations ADD COLUMN is_screened boolean NOT NULL DEFAULT false;
