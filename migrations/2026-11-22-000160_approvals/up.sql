-- Approvals --------------------------------------------------------------------------------------

-- What waits for a platform administrator, and what became of it. It shows the content as it was when
-- approval was asked for, and holds for the content of that hash only.
CREATE TABLE approvals (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('TEMPLATE', 'CAMPAIGN', 'SENDER_NAME')),
    resource_id     uuid NOT NULL,
    name            text NOT NULL,
    subject         text,
    body            text NOT NULL,
    content_hash    bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    risk_score      smallint NOT NULL,
    issues          jsonb NOT NULL,
    requested_by    uuid NOT NULL,
    -- Who may not approve it.
    authors         uuid[] NOT NULL,
    requested_at    timestamptz NOT NULL,
    -- When it was decided or withdrawn. Without a verdict it was withdrawn.
    closed_at       timestamptz,
    verdict         text CHECK (verdict IN ('APPROVED', 'REJECTED')),
    decided_by      uuid,
    comment         text,
    -- When the one who asked is to be told next.
    tell_at         timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK ((verdict IS NULL) = (decided_by IS NULL)),
    CHECK (verdict IS NULL OR closed_at IS NOT NULL)
);
COMMENT ON TABLE approvals IS 'tenant';
-- A resource waits for one approval at a time.
CREATE UNIQUE INDEX approvals_pending_resource ON approvals (organization_id, kind, resource_id)
    WHERE closed_at IS NULL;
-- Administrators see those of all organizations, and name one by its identifier alone.
CREATE INDEX approvals_pending ON approvals (id) WHERE closed_at IS NULL;
CREATE INDEX approvals_id ON approvals (id);
CREATE INDEX approvals_tell ON approvals (tell_at) WHERE tell_at IS NOT NULL;
CREATE INDEX approvals_closed ON approvals (closed_at) WHERE closed_at IS NOT NULL;

-- Audit log --------------------------------------------------------------------------------------

-- Who did what to an organization or to what it has.
CREATE TABLE audit_log (
    id              uuid NOT NULL,
    organization_id uuid NOT NULL,
    at              timestamptz NOT NULL,
    user_id         uuid NOT NULL,
    action          text NOT NULL,
    resource_type   text NOT NULL,
    resource_id     uuid NOT NULL,
    details         jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE audit_log IS 'tenant';
CREATE INDEX audit_log_at ON audit_log (at);
CREATE TRIGGER audit_log_append_only BEFORE UPDATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Templates --------------------------------------------------------------------------------------

-- Those that exist have no author and no hash: nobody approves them, but they can be edited.
ALTER TABLE templates
    ADD COLUMN version      integer NOT NULL DEFAULT 1,
    ADD COLUMN risk_score   smallint NOT NULL DEFAULT 0,
    ADD COLUMN issues       jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN content_hash bytea,
    ADD COLUMN created_by   uuid,
    ADD COLUMN comment      text;

-- What a template said at a time, the present version among them.
CREATE TABLE template_versions (
    organization_id uuid NOT NULL,
    template_id     uuid NOT NULL,
    version         integer NOT NULL,
    status          text NOT NULL
        CHECK (status IN ('PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'WITHDRAWN')),
    category        text NOT NULL,
    country_code    text NOT NULL,
    language        text NOT NULL,
    subject         text,
    body            text NOT NULL,
    variables       text[] NOT NULL,
    vendor_template jsonb,
    risk_score      smallint NOT NULL,
    created_at      timestamptz NOT NULL,
    created_by      uuid,
    PRIMARY KEY (organization_id, template_id, version),
    FOREIGN KEY (organization_id, template_id) REFERENCES templates
);
COMMENT ON TABLE template_versions IS 'tenant';
INSERT INTO template_versions
    SELECT organization_id, id, version, status, category, country_code, language, subject, body,
        variables, vendor_template, risk_score, created_at, created_by
    FROM templates;

-- How many templates each organization has: kept, so that no request counts them.
CREATE TABLE template_counts (
    organization_id uuid PRIMARY KEY,
    templates       bigint NOT NULL
);
COMMENT ON TABLE template_counts IS 'tenant';
INSERT INTO template_counts SELECT organization_id, count(*) FROM templates GROUP BY 1;

CREATE FUNCTION count_template() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO template_counts AS kept VALUES (NEW.organization_id, 1)
        ON CONFLICT (organization_id) DO UPDATE SET templates = kept.templates + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER templates_counted AFTER INSERT ON templates
    FOR EACH ROW EXECUTE FUNCTION count_template();
