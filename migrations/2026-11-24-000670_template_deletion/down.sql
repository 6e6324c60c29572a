DROP INDEX approvals_verdict;
DROP INDEX approvals_resource;
DROP INDEX campaigns_template;
DROP INDEX templates_deleted;
DROP TRIGGER templates_uncounted ON templates;
DROP FUNCTION uncount_template();
-- The version before shows every template, and knows no deleted ones.
DELETE FROM templates WHERE deleted_at IS NOT NULL;
ALTER TABLE templates DROP COLUMN deleted_at;
