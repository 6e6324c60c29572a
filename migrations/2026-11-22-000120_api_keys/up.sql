-- Instances keep what they know of keys and of settings, and ask a few times a second what changed.
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
ALTER TABLE organizations ADD COLUMN changed_at timestamptz;
CREATE INDEX organizations_changed ON organizations (changed_at) WHERE changed_at IS NOT NULL;

-- The last use of a key is written on the page where the key is.
ALTER TABLE api_keys SET (fillfactor = 70);
