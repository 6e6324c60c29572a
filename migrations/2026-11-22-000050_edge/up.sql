-- Attempts to sign in count for each email and address (IPv6: /64). The line with an empty address
-- counts those from anywhere.
ALTER TABLE login_attempts ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE login_attempts DROP CONSTRAINT login_attempts_pkey, ADD PRIMARY KEY (email, address);

-- How many mails with reset tokens a user got. One line for a user, until the user is gone.
CREATE TABLE reset_mails (
    user_id      uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    mails        integer NOT NULL,
    window_start timestamptz NOT NULL
);
