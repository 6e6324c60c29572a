ALTER TABLE delivery_logs
    DROP COLUMN campaign_id,
    DROP COLUMN trigger_id,
    DROP COLUMN retry_rules;
