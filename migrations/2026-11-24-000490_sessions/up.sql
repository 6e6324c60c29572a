-- Sessions of users, by the `jti` of their first tokens. A row is needed until the session expires; one
-- that ends before is deleted, and kept in `revoked_sessions`.
CREATE TABLE sessions (
    user_id      uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    id           uuid        NOT NULL,
    -- The user's `session_version` for which it is valid. A change of the password by the user increments
    -- both that and the version of the session in which they change it.
    version      integer     NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    address      text        NOT NULL,
    user_agent   text,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'global';
