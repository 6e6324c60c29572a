-- Events -----------------------------------------------------------------------------------------

-- What organizations notify of, and over which channels. One that was deleted stays for a day, so that
-- every instance hears of it.
CREATE TABLE events (
    organization_id  uuid        NOT NULL,
    id               uuid        NOT NULL,
    name             text        NOT NULL,
    slug             text        NOT NULL,
    description      text,
    channel_priority text[]      NOT NULL,
    template_id      uuid,
    -- Channels and the identifiers of their templates.
    templates        jsonb       NOT NULL,
    -- As they were written.
    retry_rules      jsonb,
    fallback_rules   jsonb,
    is_active        boolean     NOT NULL,
    version          integer     NOT NULL,
    created_at       timestamptz NOT NULL,
    changed_at       timestamptz NOT NULL DEFAULT now(),
    deleted_at       timestamptz,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE events IS 'tenant';
CREATE UNIQUE INDEX events_slug ON events (organization_id, slug) WHERE deleted_at IS NULL;
-- Instances ask a few times a second what changed.
CREATE INDEX events_changed ON events (changed_at);
CREATE INDEX events_deleted ON events (deleted_at) WHERE deleted_at IS NOT NULL;

-- What events say is kept in memory, too.
ALTER TABLE templates ADD COLUMN changed_at timestamptz;
CREATE INDEX templates_changed ON templates (changed_at) WHERE changed_at IS NOT NULL;
CREATE FUNCTION note_template_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at = now();
    RETURN NEW;
END $$;
CREATE TRIGGER templates_changed BEFORE UPDATE ON templates
    FOR EACH ROW EXECUTE FUNCTION note_template_change();

-- Triggers ---------------------------------------------------------------------------------------

-- Events that were triggered and may go on to another channel. One that had a single channel has no
-- row.
CREATE TABLE triggers (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    event           text        NOT NULL,
    is_sandbox      boolean     NOT NULL,
    -- All channels in their order: {"channel", "messageId"} once it was tried, or else {"channel",
    -- "skipped"} with the reason, or {"channel"}.
    channels        jsonb       NOT NULL,
    -- How many channels were tried, and the message of the last of them.
    tried           smallint    NOT NULL,
    message_id      uuid        NOT NULL,
    -- The messages for the channels that are left, in their order. None once it has ended.
    drafts          jsonb       NOT NULL,
    -- How long the next channel waits for a message to get to that status.
    after_seconds   integer,
    until_status    text        NOT NULL CHECK (until_status IN ('SENT', 'DELIVERED')),
    -- When the next channel is to be tried; while somebody is about it, when the next may.
    due_at          timestamptz,
    ended_at        timestamptz,
    -- When nobody needs to know of it any more.
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE triggers IS 'tenant';
CREATE INDEX triggers_due ON triggers (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX triggers_expired ON triggers (expires_at);
