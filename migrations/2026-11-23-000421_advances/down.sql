ALTER TABLE invoices DROP COLUMN is_credited;
