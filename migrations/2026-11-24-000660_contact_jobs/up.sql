-- Requests to delete or tag many contacts, worked off in the background.
CREATE TABLE contact_jobs (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    kind            text        NOT NULL CHECK (kind IN ('DELETE', 'TAG')),
    status          text        NOT NULL
        CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED')),
    -- Tags that each contact gets and loses; empty for a deletion.
    added_tags      text[]      NOT NULL,
    removed_tags    text[]      NOT NULL,
    contact_count   bigint      NOT NULL,
    -- Number of contacts that were worked on.
    done            bigint      NOT NULL DEFAULT 0,
    created_by      uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    -- Time of the next turn; while it is leased, the end of the lease.
    due_at          timestamptz NOT NULL DEFAULT now(),
    lease           uuid,
    -- Number of attempts at the present part that failed.
    attempts        integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX contact_jobs_due ON contact_jobs (due_at) WHERE finished_at IS NULL;
CREATE INDEX contact_jobs_waiting ON contact_jobs (organization_id) WHERE finished_at IS NULL;
-- The purge.
CREATE INDEX contact_jobs_finished ON contact_jobs (finished_at) WHERE finished_at IS NOT NULL;
COMMENT ON TABLE contact_jobs IS 'tenant';

-- Contacts that a job has still to work on, as they were selected at its beginning: some hundreds in a row.
-- A row is deleted together with the work on it.
CREATE TABLE contact_job_parts (
    organization_id uuid   NOT NULL,
    job_id          uuid   NOT NULL,
    last_contact_id uuid   NOT NULL,
    contact_ids     uuid[] NOT NULL,
    PRIMARY KEY (organization_id, job_id, last_contact_id),
    FOREIGN KEY (organization_id, job_id) REFERENCES contact_jobs ON DELETE CASCADE
);
-- Random bits cannot be compressed.
ALTER TABLE contact_job_parts ALTER COLUMN contact_ids SET STORAGE EXTERNAL;
COMMENT ON TABLE contact_job_parts IS 'tenant';

-- Messages of a campaign by their contact, for rules about campaigns. Only messages of campaigns have an
-- entry, and they are written in the order of their contacts. Nothing has been released yet, so no
-- instance writes while the index is made.
DO $$
BEGIN
    EXECUTE 'CREATE INDEX delivery_logs_campaign_contact '
        'ON delivery_logs (organization_id, campaign_id, contact_id) '
        'WHERE campaign_id IS NOT NULL AND contact_id IS NOT NULL';
END $$;
