ALTER TABLE organizations DROP COLUMN invoice_credit_micros;
