ALTER TABLE resend_tasks
    -- Further filters; NULL for any. The pairs are removed at the end, like the addresses.
    ADD COLUMN event text,
    ADD COLUMN metadata jsonb;
