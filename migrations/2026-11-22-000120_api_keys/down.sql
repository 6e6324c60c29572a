ALTER TABLE api_keys RESET (fillfactor);
DROP INDEX organizations_changed;
ALTER TABLE organizations DROP COLUMN changed_at;
DROP INDEX api_keys_revoked;
