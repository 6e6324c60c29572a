-- Exports of the delivery log, written in the background from the newest message back. A row is deleted
-- with its file, a day after the end of the work.
CREATE TABLE log_exports (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    -- Member who asked for it, and alone sees it.
    created_by      uuid        NOT NULL,
    status          text        NOT NULL CHECK (status IN ('PREPARING', 'READY', 'FAILED')),
    -- Reason for its failure; NULL otherwise.
    failure         text,
    -- The filter; NULL for any.
    message_status  text,
    channel         text,
    recipients      text[],
    campaign_id     uuid,
    accepted_from   timestamptz,
    accepted_to     timestamptz,
    event           text,
    provider        text,
    error_code      text,
    is_sandbox      boolean,
    metadata        jsonb,
    -- Message after which the next part begins; NULL before the first and after the last part.
    position        uuid,
    row_count       bigint      NOT NULL DEFAULT 0,
    -- Size of the file, and of its stored form.
    byte_count      bigint      NOT NULL DEFAULT 0,
    stored_bytes    bigint      NOT NULL DEFAULT 0,
    part_count      integer     NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL,
    -- End of its life; NULL until the work has ended.
    kept_until      timestamptz,
    -- Time of the next turn; while it is leased, the end of the lease.
    due_at          timestamptz NOT NULL DEFAULT now(),
    lease           uuid,
    -- Number of attempts at the present part that failed.
    failures        integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    CHECK ((status = 'PREPARING') = (kept_until IS NULL))
);
CREATE INDEX log_exports_due ON log_exports (due_at) WHERE kept_until IS NULL;
-- The purge.
CREATE INDEX log_exports_ended ON log_exports (kept_until) WHERE kept_until IS NOT NULL;
COMMENT ON TABLE log_exports IS 'tenant';

-- Files of exports: lines of CSV, compressed part by part with gzip.
CREATE TABLE log_export_parts (
    organization_id uuid    NOT NULL,
    export_id       uuid    NOT NULL,
    -- Place in the file, from zero.
    number          integer NOT NULL,
    bytes           bytea   NOT NULL,
    PRIMARY KEY (organization_id, export_id, number),
    FOREIGN KEY (organization_id, export_id) REFERENCES log_exports ON DELETE CASCADE
);
-- They are compressed already.
ALTER TABLE log_export_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;
COMMENT ON TABLE log_export_parts IS 'tenant';
