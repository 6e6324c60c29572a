-- The sum that an organization may owe for invoices credited on issue. NULL: the installation's limit.
ALTER TABLE organizations
    ADD COLUMN invoice_credit_micros bigint,
    ADD CHECK (invoice_credit_micros >= 0) NOT VALID;
