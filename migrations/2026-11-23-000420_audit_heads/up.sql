-- Only lines that are added, or deleted for their age, move the heads of the audit log: else one UPDATE of
-- `purged_sequence` would hide the lines before it from every list.
CREATE TRIGGER audit_heads_chained BEFORE UPDATE ON audit_heads
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_heads_kept BEFORE DELETE OR TRUNCATE ON audit_heads
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
