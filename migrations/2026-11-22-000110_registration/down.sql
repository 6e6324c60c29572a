ALTER TABLE organizations DROP COLUMN is_provisioned;
