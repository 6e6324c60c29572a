ALTER TABLE instances DROP COLUMN active;
