DROP INDEX provider_references_message;
DROP INDEX unmatched_reports_matched;
ALTER TABLE unmatched_reports DROP COLUMN message_id;
UPDATE suppressions SET reason = 'OPTED_OUT' WHERE source IN ('STOP', 'VENDOR');
ALTER TABLE suppressions DROP COLUMN source, DROP COLUMN category;
