ALTER TABLE imports
    -- SHA-256 of the bytes of the file; NULL until they have arrived.
    ADD COLUMN file_hash bytea,
    -- Import of the same bytes within the day before; NULL if there was none.
    ADD COLUMN same_as uuid,
    -- Progress of the undo; NULL if none was requested. While one is under way, `due_at`, `lease` and
    -- `failures` are those of the undo.
    ADD COLUMN undo_status text CHECK (undo_status IN ('QUEUED', 'PROCESSING', 'COMPLETED')),
    -- Number of contacts that the undo deleted.
    ADD COLUMN undone_rows integer NOT NULL DEFAULT 0,
    ADD COLUMN undone_at timestamptz;

-- Nothing has been released yet, so nobody writes to the table meanwhile.
DO $$ BEGIN
    EXECUTE 'CREATE INDEX imports_undoing ON imports (due_at)
        WHERE undo_status IN (''QUEUED'', ''PROCESSING'')';
END $$;

-- Contacts that imports created, for undoing them: one row for each part of a file that wrote some. A
-- contact that a later part of the same file changed is in the row of that part, too.
CREATE TABLE imported_contacts (
    organization_id uuid NOT NULL,
    import_id       uuid NOT NULL,
    -- Number of the part.
    number          integer NOT NULL,
    -- Time of writing. A contact with a later change was touched by somebody else.
    written_at      timestamptz NOT NULL,
    contact_ids     uuid[] NOT NULL,
    PRIMARY KEY (organization_id, import_id, number),
    FOREIGN KEY (organization_id, import_id) REFERENCES imports ON DELETE CASCADE
);
-- Identifiers do not compress.
ALTER TABLE imported_contacts ALTER COLUMN contact_ids SET STORAGE EXTERNAL;
-- Identifiers of imports are in the order of time.
CREATE INDEX imported_contacts_age ON imported_contacts (import_id);
COMMENT ON TABLE imported_contacts IS 'tenant';
