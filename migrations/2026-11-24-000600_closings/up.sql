-- Organizations that an owner closed. They can be restored for 30 days, and are then erased.
ALTER TABLE organizations ADD COLUMN closed_at timestamptz NULL;
ALTER TABLE organizations ADD COLUMN erased_at timestamptz NULL;

-- Nothing has been released yet: no instance uses the table while this index is built.
DO $$
BEGIN
    EXECUTE 'CREATE INDEX organizations_closed ON organizations (closed_at)
        WHERE closed_at IS NOT NULL AND erased_at IS NULL';
END $$;

-- Closings, with the data of each organization. They stay after the erasure, as its record.
CREATE TABLE organization_closings (
    organization_id uuid        PRIMARY KEY,
    closed_by       uuid        NOT NULL,
    -- True if the owner gave up the money in the wallet.
    forfeits        boolean     NOT NULL,
    closed_at       timestamptz NOT NULL,
    -- Time since which nothing can be refunded, scheduled or given up any more.
    settled_at      timestamptz,
    -- Time at which the erasure began.
    erasing_since   timestamptz
);
CREATE INDEX organization_closings_unsettled ON organization_closings (organization_id)
    WHERE settled_at IS NULL;
CREATE INDEX organization_closings_erased ON organization_closings (organization_id)
    WHERE erasing_since IS NOT NULL;
COMMENT ON TABLE organization_closings IS 'tenant';
