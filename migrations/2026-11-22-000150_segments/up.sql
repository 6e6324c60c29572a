-- Contacts by tag ----------------------------------------------------------------------------------

-- The tags of a contact under which it is found, each with the organization before it. So a tag is
-- found without reading all contacts of the organization, or those that others gave the same tag.
CREATE FUNCTION contact_tag_keys(organization uuid, tags text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY(SELECT organization::text || tag FROM unnest(tags) AS tag)
$$;
CREATE INDEX contacts_tags ON contacts USING gin (contact_tag_keys(organization_id, tags_folded));

-- Segments -----------------------------------------------------------------------------------------

CREATE TABLE segments (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    name            text NOT NULL,
    description     text,
    -- As they were written.
    rules           jsonb NOT NULL,
    is_dynamic      boolean NOT NULL,
    created_at      timestamptz NOT NULL,
    -- How many contacts there were when they were last counted.
    contact_count   bigint NOT NULL,
    counted_at      timestamptz NOT NULL DEFAULT now(),
    -- When somebody last began to count.
    count_begun_at  timestamptz NOT NULL DEFAULT now(),
    -- When they are to be counted if nobody has done it by then.
    recount_at      timestamptz,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE segments IS 'tenant';
CREATE INDEX segments_to_recount ON segments (recount_at) WHERE recount_at IS NOT NULL;

-- The members of segments that are not dynamic, in the order of their identifiers: each row has some
-- of them. Contacts that were deleted since are still named.
CREATE TABLE segment_members (
    organization_id uuid NOT NULL,
    segment_id      uuid NOT NULL,
    last_contact_id uuid NOT NULL,
    contact_ids     uuid[] NOT NULL,
    PRIMARY KEY (organization_id, segment_id, last_contact_id),
    FOREIGN KEY (organization_id, segment_id) REFERENCES segments ON DELETE CASCADE
);
COMMENT ON TABLE segment_members IS 'tenant';
-- Random bits cannot be compressed.
ALTER TABLE segment_members ALTER contact_ids SET STORAGE EXTERNAL;
