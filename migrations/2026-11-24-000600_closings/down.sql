DROP TABLE organization_closings;
DROP INDEX organizations_closed;
ALTER TABLE organizations DROP COLUMN erased_at;
ALTER TABLE organizations DROP COLUMN closed_at;
