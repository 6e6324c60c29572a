DROP TABLE reset_mails;
DELETE FROM login_attempts WHERE address <> '';
ALTER TABLE login_attempts DROP CONSTRAINT login_attempts_pkey, ADD PRIMARY KEY (email);
ALTER TABLE login_attempts DROP COLUMN address;
