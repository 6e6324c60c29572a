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
