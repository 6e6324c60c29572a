-- Imports --------------------------------------------------------------------------------------------

-- Files of contacts or of suppressions that are worked off in the background. UPLOADING is one that
-- is still coming in, which nobody sees.
CREATE TABLE imports (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('CONTACTS', 'SUPPRESSIONS')),
    file_name       text,
    status          text NOT NULL
        CHECK (status IN ('UPLOADING', 'QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED')),
    -- How the file is written. Known once it has come in.
    delimiter       text,
    encoding        text,
    header          text[],
    total_rows      integer NOT NULL DEFAULT 0,
    created_rows    integer NOT NULL DEFAULT 0,
    updated_rows    integer NOT NULL DEFAULT 0,
    failed_rows     integer NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL,
    completed_at    timestamptz,
    -- When the next part may be done; while it is leased, until when the lease lasts.
    due_at          timestamptz NOT NULL DEFAULT now(),
    lease           uuid,
    -- How often the next part was tried in vain.
    failures        integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT imports_add_up CHECK (CASE
        WHEN status IN ('COMPLETED', 'FAILED')
        THEN created_rows + updated_rows + failed_rows = total_rows
        ELSE created_rows + updated_rows + failed_rows <= total_rows
    END)
);
COMMENT ON TABLE imports IS 'tenant';
CREATE INDEX imports_listed ON imports (organization_id, kind, id) WHERE status <> 'UPLOADING';
CREATE INDEX imports_waiting ON imports (organization_id, kind, id)
    WHERE status IN ('UPLOADING', 'QUEUED', 'PROCESSING');
CREATE INDEX imports_due ON imports (due_at) WHERE status IN ('QUEUED', 'PROCESSING');
CREATE INDEX imports_age ON imports (created_at) WHERE status IN ('COMPLETED', 'FAILED');
CREATE INDEX imports_uploading ON imports (created_at) WHERE status = 'UPLOADING';

-- The parts of files that are not done: whole records, one transaction for each part.
CREATE TABLE import_chunks (
    organization_id uuid NOT NULL,
    import_id       uuid NOT NULL,
    number          integer NOT NULL,
    first_row       integer NOT NULL,
    bytes           bytea NOT NULL,
    PRIMARY KEY (organization_id, import_id, number),
    FOREIGN KEY (organization_id, import_id) REFERENCES imports ON DELETE CASCADE
);
COMMENT ON TABLE import_chunks IS 'tenant';
-- They are gone before it would pay to compress them.
ALTER TABLE import_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The rows that failed, as spreadsheets count them.
CREATE TABLE import_errors (
    organization_id uuid NOT NULL,
    import_id       uuid NOT NULL,
    row_number      integer NOT NULL,
    column_name     text,
    reason          text NOT NULL,
    PRIMARY KEY (organization_id, import_id, row_number),
    FOREIGN KEY (organization_id, import_id) REFERENCES imports ON DELETE CASCADE
);
COMMENT ON TABLE import_errors IS 'tenant';
-- Identifiers sort by time.
CREATE INDEX import_errors_age ON import_errors (import_id);

-- Suppression lists ------------------------------------------------------------------------------------

-- A thousand entries of one statement are counted once, not one after the other.
DROP TRIGGER suppressions_counted ON suppressions;
DROP FUNCTION count_suppression();
CREATE FUNCTION count_suppressions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO suppression_counts AS list
            SELECT organization_id, count(*) FROM changed GROUP BY organization_id
            ORDER BY organization_id
            ON CONFLICT (organization_id) DO UPDATE SET entries = list.entries + EXCLUDED.entries;
    ELSE
        UPDATE suppression_counts AS list SET entries = list.entries - gone.entries
            FROM (SELECT organization_id, count(*) AS entries FROM changed GROUP BY organization_id)
                AS gone
            WHERE list.organization_id = ANY(ARRAY[gone.organization_id]);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER suppressions_added AFTER INSERT ON suppressions REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_suppressions();
CREATE TRIGGER suppressions_removed AFTER DELETE ON suppressions REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_suppressions();
