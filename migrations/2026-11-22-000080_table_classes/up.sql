-- Classes of table --------------------------------------------------------------------------------

-- Whose the rows are. Of a 'tenant' table each row belongs to an organization and can move with it to
-- another server, so its keys begin with the organization. A 'global' table is the platform's. An
-- 'instance-wide' one says what the instances on this database do and know.
COMMENT ON TABLE api_keys IS 'tenant';
COMMENT ON TABLE contacts IS 'tenant';
COMMENT ON TABLE conversations IS 'tenant';
COMMENT ON TABLE delivery_jobs IS 'tenant';
COMMENT ON TABLE delivery_log_counters IS 'tenant';
COMMENT ON TABLE delivery_log_slots IS 'tenant';
COMMENT ON TABLE delivery_logs IS 'tenant';
COMMENT ON TABLE idempotency_keys IS 'tenant';
COMMENT ON TABLE ledger_entries IS 'tenant';
COMMENT ON TABLE suppression_counts IS 'tenant';
COMMENT ON TABLE suppressions IS 'tenant';
COMMENT ON TABLE templates IS 'tenant';
COMMENT ON TABLE wallets IS 'tenant';

COMMENT ON TABLE email_verification_tokens IS 'global';
COMMENT ON TABLE login_attempts IS 'global';
COMMENT ON TABLE members IS 'global';
COMMENT ON TABLE organizations IS 'global';
COMMENT ON TABLE password_reset_tokens IS 'global';
COMMENT ON TABLE plans IS 'global';
COMMENT ON TABLE pricing_rules IS 'global';
COMMENT ON TABLE reset_mails IS 'global';
COMMENT ON TABLE users IS 'global';

COMMENT ON TABLE instances IS 'instance-wide';
COMMENT ON TABLE journal IS 'instance-wide';
COMMENT ON TABLE provider_health IS 'instance-wide';
COMMENT ON TABLE provider_minutes IS 'instance-wide';
COMMENT ON TABLE provider_standings IS 'instance-wide';
COMMENT ON TABLE providers IS 'instance-wide';
COMMENT ON TABLE sessions IS 'instance-wide';
COMMENT ON TABLE unmatched_reports IS 'instance-wide';

-- No key points from a tenant's table to a global one ---------------------------------------------

-- Organizations are never deleted, and whoever writes for one has found it before.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_organization_id_fkey;
ALTER TABLE contacts DROP CONSTRAINT contacts_organization_id_fkey;
ALTER TABLE suppression_counts DROP CONSTRAINT suppression_counts_organization_id_fkey;
ALTER TABLE suppressions DROP CONSTRAINT suppressions_organization_id_fkey;
ALTER TABLE templates DROP CONSTRAINT templates_organization_id_fkey;
ALTER TABLE wallets DROP CONSTRAINT wallets_organization_id_fkey;

-- Keys of tenants' tables begin with the organization ---------------------------------------------

ALTER TABLE api_keys
    DROP CONSTRAINT api_keys_pkey,
    DROP CONSTRAINT api_keys_hash_key,
    ADD PRIMARY KEY (organization_id, id),
    ADD CONSTRAINT api_keys_hash_key UNIQUE (organization_id, hash);
DROP INDEX api_keys_organization;
-- A request shows the key and nothing else.
CREATE INDEX api_keys_hash ON api_keys (hash);

ALTER TABLE contacts DROP CONSTRAINT contacts_pkey, ADD PRIMARY KEY (organization_id, id);
DROP INDEX contacts_organization;
ALTER TABLE templates DROP CONSTRAINT templates_pkey, ADD PRIMARY KEY (organization_id, id);
DROP INDEX templates_organization;

ALTER TABLE conversations
    DROP CONSTRAINT conversations_pkey,
    ADD PRIMARY KEY (organization_id, provider, address);
-- Who answers names the provider and themselves.
CREATE INDEX conversations_address ON conversations (provider, address);

-- The name of a message that is gone is of no use to anybody.
ALTER TABLE provider_references RENAME TO old_references;
CREATE TABLE provider_references (
    organization_id uuid NOT NULL,
    provider        text NOT NULL,
    reference       text NOT NULL,
    message_id      uuid NOT NULL
);
INSERT INTO provider_references
    SELECT log.organization_id, old.provider, old.reference, old.message_id
    FROM old_references old JOIN delivery_logs log ON log.id = old.message_id;
DROP TABLE old_references;
ALTER TABLE provider_references ADD PRIMARY KEY (organization_id, provider, reference);
-- A report names the provider and the reference alone. References are forgotten by the age of their
-- messages.
CREATE INDEX provider_references_reference ON provider_references USING hash (reference);
CREATE INDEX provider_references_message ON provider_references (message_id);
COMMENT ON TABLE provider_references IS 'tenant';

-- The log ----------------------------------------------------------------------------------------

-- Who knows the organization brings it; reports, callbacks and the purge know our identifier alone.
ALTER TABLE delivery_logs
    DROP CONSTRAINT delivery_logs_pkey,
    ADD PRIMARY KEY (organization_id, id);
DROP INDEX delivery_logs_organization;
CREATE INDEX delivery_logs_id ON delivery_logs (id);
