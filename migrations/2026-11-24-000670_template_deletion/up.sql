-- Time of the deletion. A deleted template keeps its name and its last status, for the messages and the
-- figures that name it, and loses its texts and versions.
ALTER TABLE templates ADD COLUMN deleted_at timestamptz;

CREATE FUNCTION uncount_template() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE template_counts SET templates = templates - 1
    WHERE organization_id = NEW.organization_id;
    RETURN NULL;
END $$;
CREATE TRIGGER templates_uncounted AFTER UPDATE OF deleted_at ON templates
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION uncount_template();

-- Nothing has been released yet, so no instance writes while the indexes are made.
DO $$
BEGIN
    -- The purge.
    EXECUTE 'CREATE INDEX templates_deleted ON templates (deleted_at) WHERE deleted_at IS NOT NULL';
    -- Templates that campaigns will need.
    EXECUTE 'CREATE INDEX campaigns_template ON campaigns (organization_id, template_id) '
        'WHERE template_id IS NOT NULL AND status IN (''DRAFT'', ''SCHEDULED'', ''PENDING_APPROVAL'')';
    -- Approvals of a template or a campaign, and those with an outcome, newest first.
    EXECUTE 'CREATE INDEX approvals_resource ON approvals (organization_id, resource_id, id)';
    EXECUTE 'CREATE INDEX approvals_verdict ON approvals (organization_id, verdict, id)';
END $$;
