DROP TRIGGER templates_counted ON templates;
DROP FUNCTION count_template();
DROP TABLE template_counts;
DROP TABLE template_versions;
ALTER TABLE templates
    DROP COLUMN version,
    DROP COLUMN risk_score,
    DROP COLUMN issues,
    DROP COLUMN content_hash,
    DROP COLUMN created_by,
    DROP COLUMN comment;
DROP TABLE audit_log;
DROP TABLE approvals;
