-- Campaigns --------------------------------------------------------------------------------------

CREATE TABLE campaigns (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    name            text        NOT NULL,
    channel         text        NOT NULL,
    -- Whose text it sends; without one, its own.
    template_id     uuid,
    subject         text,
    body            text,
    sender          text,
    -- Whom it is for; without one, all contacts.
    segment_id      uuid,
    scheduled_at    timestamptz,
    -- How often it was edited, and one.
    version         integer     NOT NULL DEFAULT 1,
    status          text        NOT NULL DEFAULT 'DRAFT'
        CHECK (status IN ('DRAFT', 'SCHEDULED', 'PENDING_APPROVAL', 'REJECTED', 'SENDING', 'PAUSED',
            'COMPLETED', 'CANCELLED', 'FAILED')),
    paused_reason   text        CHECK (paused_reason IN ('USER', 'INSUFFICIENT_BALANCE')),
    created_by      uuid        NOT NULL,
    -- Who made or edited it, and does not approve it.
    authors         uuid[]      NOT NULL,
    created_at      timestamptz NOT NULL,
    -- When it was last edited, or its status changed.
    updated_at      timestamptz NOT NULL,

    -- What was confirmed: later edits of the template or of the rules change nothing.
    content         jsonb,
    content_hash    bytea       CHECK (octet_length(content_hash) = 32),
    -- Of a dynamic segment. Members of others are frozen anyway.
    rules           jsonb,

    -- How far it has come.
    started_at      timestamptz,
    -- Contacts with this identifier or a greater one came after it had started, and are not reached.
    contacts_until  uuid,
    -- The last contact whose message was accepted, or who has no address.
    position        uuid,
    -- How many contacts there were when it started.
    audience        bigint,
    -- How many of them have no address for its channel.
    unreachable     bigint      NOT NULL DEFAULT 0,
    -- When the last contact was passed.
    expanded_at     timestamptz,
    completed_at    timestamptz,
    -- When it had ended and none of its messages waited any more.
    settled_at      timestamptz,
    -- What the wallet could not pay for.
    needed_micros   bigint,

    -- When the background work is to look at it next: no sooner than its time if it is scheduled, and
    -- not before the lease of whoever looks at it now has ended.
    due_at          timestamptz,
    lease           uuid,
    PRIMARY KEY (organization_id, id),
    CHECK ((status = 'PAUSED') = (paused_reason IS NOT NULL))
);
COMMENT ON TABLE campaigns IS 'tenant';
CREATE INDEX campaigns_due ON campaigns (due_at) WHERE due_at IS NOT NULL;
-- Whose messages are held back.
CREATE INDEX campaigns_held ON campaigns (organization_id, id)
    WHERE settled_at IS NULL
        AND (status = 'CANCELLED' OR status = 'PAUSED' AND paused_reason = 'USER');
CREATE INDEX campaigns_paused ON campaigns (updated_at) WHERE status = 'PAUSED';
CREATE INDEX campaigns_ended ON campaigns (updated_at)
    WHERE status IN ('REJECTED', 'COMPLETED', 'CANCELLED', 'FAILED');
-- Which segments are needed.
CREATE INDEX campaigns_segment ON campaigns (organization_id, segment_id)
    WHERE segment_id IS NOT NULL AND status NOT IN ('REJECTED', 'COMPLETED', 'CANCELLED', 'FAILED');

-- How many campaigns each organization has, and how many of them have not ended: kept, so that no
-- request counts them.
CREATE TABLE campaign_totals (
    organization_id uuid   PRIMARY KEY,
    campaigns       bigint NOT NULL,
    unfinished      bigint NOT NULL
);
COMMENT ON TABLE campaign_totals IS 'tenant';

CREATE FUNCTION campaign_has_ended(status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT status IN ('REJECTED', 'COMPLETED', 'CANCELLED', 'FAILED')
$$;

CREATE FUNCTION count_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    organization CONSTANT uuid := coalesce(NEW.organization_id, OLD.organization_id);
    added CONSTANT integer := (TG_OP = 'INSERT')::integer - (TG_OP = 'DELETE')::integer;
    begun CONSTANT integer := coalesce((NOT campaign_has_ended(NEW.status))::integer, 0)
        - coalesce((NOT campaign_has_ended(OLD.status))::integer, 0);
BEGIN
    IF added <> 0 OR begun <> 0 THEN
        INSERT INTO campaign_totals AS kept VALUES (organization, added, begun)
            ON CONFLICT (organization_id) DO UPDATE
            SET campaigns = kept.campaigns + added, unfinished = kept.unfinished + begun;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER campaigns_counted AFTER INSERT OR DELETE OR UPDATE OF status ON campaigns
    FOR EACH ROW EXECUTE FUNCTION count_campaign();
