-- Messages that are being worked on, told with the signs of life: nobody counts them.
ALTER TABLE instances ADD COLUMN active bigint NOT NULL DEFAULT 0;
