DROP TABLE revoked_sessions;
DROP TRIGGER audit_log_purged ON audit_log;
DROP TRIGGER audit_log_kept ON audit_log;
DROP TRIGGER audit_log_append_only ON audit_log;
DROP TRIGGER audit_log_chained ON audit_log;
DROP FUNCTION note_purged_audit_lines();
DROP FUNCTION keep_audit_line();
DROP FUNCTION chain_audit_line();
DROP FUNCTION audit_hash(bytea, audit_log);
DROP FUNCTION audit_value(text);
DROP TABLE audit_heads;
DROP INDEX audit_log_action;
DROP INDEX audit_log_user;
DROP INDEX audit_log_at;
DROP INDEX audit_log_sequence;
ALTER TABLE audit_log
    DROP COLUMN hash,
    DROP COLUMN sequence,
    DROP COLUMN impersonated,
    DROP COLUMN request_id;
CREATE INDEX audit_log_at ON audit_log (at);
CREATE TRIGGER audit_log_append_only BEFORE UPDATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
