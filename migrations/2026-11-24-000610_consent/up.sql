ALTER TABLE contacts
    -- Time and source of the person's consent to get messages; both NULL if none is recorded.
    ADD COLUMN consent_at timestamptz,
    ADD COLUMN consent_source text;

ALTER TABLE imports
    -- Source of the consent that the upload states for all contacts of the file.
    ADD COLUMN consent_source text;

ALTER TABLE organizations
    -- Number and code by which recipients stop the organization's promotion.
    ADD COLUMN opt_out_number text,
    ADD COLUMN opt_out_ussd text;

-- Returns those of the newest `looked_at` contacts that have a consent or not, newest first.
CREATE FUNCTION newest_contacts_by_consent(
    organization uuid, is_consented boolean, looked_at bigint, most bigint
)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY SELECT id FROM (
        SELECT id, consent_at FROM contacts WHERE organization_id = organization
        ORDER BY id DESC LIMIT looked_at
    ) AS newest WHERE (consent_at IS NOT NULL) = is_consented LIMIT most;
END $$;
