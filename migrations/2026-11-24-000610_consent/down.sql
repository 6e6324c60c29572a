DROP FUNCTION newest_contacts_by_consent(uuid, boolean, bigint, bigint);
ALTER TABLE organizations DROP COLUMN opt_out_number, DROP COLUMN opt_out_ussd;
ALTER TABLE imports DROP COLUMN consent_source;
ALTER TABLE contacts DROP COLUMN consent_at, DROP COLUMN consent_source;
