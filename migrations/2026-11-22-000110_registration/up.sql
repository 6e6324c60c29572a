-- An organization is founded in two steps: first what is global, then what it has in the tenants'
-- tables. The column tells whether the second is done. Those that exist have both, and so have those
-- that an older version founds, which takes one step.
ALTER TABLE organizations ADD COLUMN is_provisioned boolean NOT NULL DEFAULT true;
CREATE INDEX organizations_unprovisioned ON organizations (created_at) WHERE NOT is_provisioned;
