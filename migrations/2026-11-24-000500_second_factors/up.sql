-- Time at which the user confirmed a second factor; NULL if logins need none.
ALTER TABLE users ADD COLUMN second_factor_at timestamptz;

-- Secrets that users share with authenticator apps. One that its user has not confirmed is replaced by the
-- next.
CREATE TABLE second_factors (
    user_id    uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- Sealed with a key that is not in the database.
    secret     bytea NOT NULL,
    -- Step of the last code that was used. Codes up to it are refused.
    last_step  bigint,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE second_factors IS 'global';

-- Recovery codes that were not used, as SHA-256 of the user's identifier and the code.
CREATE TABLE recovery_codes (
    user_id uuid NOT NULL REFERENCES second_factors ON DELETE CASCADE,
    hash    bytea NOT NULL,
    PRIMARY KEY (user_id, hash)
);
COMMENT ON TABLE recovery_codes IS 'global';
