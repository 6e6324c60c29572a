ALTER TABLE resend_tasks
    DROP COLUMN event,
    DROP COLUMN metadata;
