ALTER TABLE delivery_logs DROP CONSTRAINT delivery_logs_pkey, ADD PRIMARY KEY (id);
DROP INDEX delivery_logs_id;
CREATE INDEX delivery_logs_organization ON delivery_logs (organization_id, id);

ALTER TABLE provider_references RENAME TO old_references;
CREATE TABLE provider_references (
    provider   text NOT NULL,
    reference  text NOT NULL,
    message_id uuid NOT NULL
);
INSERT INTO provider_references
    SELECT DISTINCT ON (provider, reference) provider, reference, message_id FROM old_references
    ORDER BY provider, reference, message_id DESC;
DROP TABLE old_references;
ALTER TABLE provider_references ADD PRIMARY KEY (provider, reference);
CREATE INDEX provider_references_message ON provider_references (message_id);

DROP INDEX conversations_address;
ALTER TABLE conversations
    DROP CONSTRAINT conversations_pkey,
    ADD PRIMARY KEY (provider, address, organization_id);

CREATE INDEX templates_organization ON templates (organization_id, id);
ALTER TABLE templates DROP CONSTRAINT templates_pkey, ADD PRIMARY KEY (id);
CREATE INDEX contacts_organization ON contacts (organization_id, id);
ALTER TABLE contacts DROP CONSTRAINT contacts_pkey, ADD PRIMARY KEY (id);
DROP INDEX api_keys_hash;
CREATE INDEX api_keys_organization ON api_keys (organization_id);
ALTER TABLE api_keys
    DROP CONSTRAINT api_keys_pkey,
    DROP CONSTRAINT api_keys_hash_key,
    ADD PRIMARY KEY (id),
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE api_keys ADD FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE contacts ADD FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE suppression_counts ADD FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE suppressions ADD FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE templates ADD FOREIGN KEY (organization_id) REFERENCES organizations;
ALTER TABLE wallets ADD FOREIGN KEY (organization_id) REFERENCES organizations;

COMMENT ON TABLE api_keys IS NULL;
COMMENT ON TABLE contacts IS NULL;
COMMENT ON TABLE conversations IS NULL;
COMMENT ON TABLE delivery_jobs IS NULL;
COMMENT ON TABLE delivery_log_counters IS NULL;
COMMENT ON TABLE delivery_log_slots IS NULL;
COMMENT ON TABLE delivery_logs IS NULL;
COMMENT ON TABLE idempotency_keys IS NULL;
COMMENT ON TABLE ledger_entries IS NULL;
COMMENT ON TABLE suppression_counts IS NULL;
COMMENT ON TABLE suppressions IS NULL;
COMMENT ON TABLE templates IS NULL;
COMMENT ON TABLE wallets IS NULL;
COMMENT ON TABLE email_verification_tokens IS NULL;
COMMENT ON TABLE login_attempts IS NULL;
COMMENT ON TABLE members IS NULL;
COMMENT ON TABLE organizations IS NULL;
COMMENT ON TABLE password_reset_tokens IS NULL;
COMMENT ON TABLE plans IS NULL;
COMMENT ON TABLE pricing_rules IS NULL;
COMMENT ON TABLE reset_mails IS NULL;
COMMENT ON TABLE users IS NULL;
COMMENT ON TABLE instances IS NULL;
COMMENT ON TABLE journal IS NULL;
COMMENT ON TABLE provider_health IS NULL;
COMMENT ON TABLE provider_minutes IS NULL;
COMMENT ON TABLE provider_standings IS NULL;
COMMENT ON TABLE providers IS NULL;
COMMENT ON TABLE sessions IS NULL;
COMMENT ON TABLE unmatched_reports IS NULL;
