DROP TABLE imported_contacts;
DROP INDEX imports_undoing;
ALTER TABLE imports DROP COLUMN file_hash, DROP COLUMN same_as, DROP COLUMN undo_status,
    DROP COLUMN undone_rows, DROP COLUMN undone_at;
