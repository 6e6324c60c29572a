UPDATE plans SET features = features || ARRAY['Webhooks'];
UPDATE plans SET features = features || ARRAY['Campaigns', 'Segments'] WHERE name <> 'Pay as you go';
UPDATE plans SET features = features || ARRAY['Dedicated sender names'] WHERE name = 'Scale';
DROP TABLE email_verification_tokens;
ALTER TABLE users DROP COLUMN email_verified_at;
ALTER TABLE organizations DROP COLUMN allow_premium_numbers;
DELETE FROM idempotency_keys WHERE is_sandbox;
ALTER TABLE idempotency_keys
    DROP CONSTRAINT idempotency_keys_pkey,
    DROP COLUMN is_sandbox,
    ADD PRIMARY KEY (organization_id, key);
