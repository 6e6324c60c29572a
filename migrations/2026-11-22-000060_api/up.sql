-- Sandbox and live have idempotency keys of their own.
ALTER TABLE idempotency_keys ADD COLUMN is_sandbox boolean NOT NULL DEFAULT false;
UPDATE idempotency_keys SET is_sandbox = true
    WHERE EXISTS (SELECT FROM delivery_logs WHERE id = message_ids[1] AND is_sandbox);
ALTER TABLE idempotency_keys
    ALTER COLUMN is_sandbox DROP DEFAULT,
    DROP CONSTRAINT idempotency_keys_pkey,
    ADD PRIMARY KEY (organization_id, is_sandbox, key);

-- What organizations decide about themselves.
ALTER TABLE organizations ADD COLUMN allow_premium_numbers boolean NOT NULL DEFAULT false;

-- Since when it is known that a user reads the mail of their address.
ALTER TABLE users ADD COLUMN email_verified_at timestamptz;
CREATE TABLE email_verification_tokens (
    hash       bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX email_verification_tokens_user ON email_verification_tokens (user_id);
CREATE INDEX email_verification_tokens_expiry ON email_verification_tokens (expires_at);

-- Plans list what there is.
UPDATE plans SET features = ARRAY(
    SELECT feature FROM UNNEST(features) WITH ORDINALITY AS listed (feature, place)
    WHERE feature NOT IN ('Webhooks', 'Campaigns', 'Segments', 'Dedicated sender names')
    ORDER BY place);
