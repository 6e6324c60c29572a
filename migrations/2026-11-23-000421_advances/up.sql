-- Whether the money of an invoice came into the wallet when it was issued. While it is open it is owed.
ALTER TABLE invoices ADD COLUMN is_credited boolean NOT NULL DEFAULT false;
