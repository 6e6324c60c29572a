DROP TABLE reset_mails;
DROP INDEX login_attempts_window_start;
DELETE FROM login_attempts WHERE address <> '';
ALTER TABLE login_attempts DROP CONSTRAINT login_attempts_pkey, ADD PRIMARY KEY (email);
ALTER TABLE login_attempts DROP COLUMN address;
