-- Corrections of wallets by platform administrators. The identifier is that of the ledger entry.
CREATE TABLE wallet_corrections (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    -- Key under which the administrator's program repeats the request.
    idempotency_key text,
    -- Below zero for a debit.
    amount_micros   bigint      NOT NULL CHECK (amount_micros <> 0),
    reason          text        NOT NULL,
    made_by         uuid        NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX wallet_corrections_key ON wallet_corrections (organization_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE TRIGGER wallet_corrections_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON wallet_corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE wallet_corrections IS 'tenant';

-- Directory of users, for platform administrators: the texts by which they are searched, and the
-- administrators among them. Its indexes could not be created on `users` without blocking writers.
CREATE TABLE user_directory (
    user_id          uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    text             text NOT NULL,
    is_administrator boolean NOT NULL
);
CREATE INDEX user_directory_search ON user_directory USING gin (text gin_trgm_ops);
CREATE INDEX user_directory_administrators ON user_directory (user_id) WHERE is_administrator;
COMMENT ON TABLE user_directory IS 'global';

CREATE FUNCTION list_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_directory (user_id, text, is_administrator)
        VALUES (NEW.id, lower(NEW.email || ' ' || NEW.first_name || ' ' || NEW.last_name),
            NEW.platform_role IS NOT NULL)
        ON CONFLICT (user_id) DO UPDATE
        SET text = EXCLUDED.text, is_administrator = EXCLUDED.is_administrator;
    RETURN NULL;
END $$;
CREATE TRIGGER users_listed AFTER INSERT OR UPDATE OF email, first_name, last_name, platform_role ON users
    FOR EACH ROW EXECUTE FUNCTION list_user();

-- From here on the trigger lists new users.
INSERT INTO user_directory (user_id, text, is_administrator)
    SELECT id, lower(email || ' ' || first_name || ' ' || last_name), platform_role IS NOT NULL
    FROM users;
