DROP FUNCTION log_matches;
DROP INDEX delivery_logs_campaign, delivery_logs_recipient;
ALTER TABLE delivery_logs DROP COLUMN contact_id, DROP COLUMN event;
