DROP INDEX ledger_entries_reference_key;
ALTER TABLE ledger_entries
    ADD CONSTRAINT ledger_entries_reference_key UNIQUE (kind, reference),
    ADD CONSTRAINT ledger_entries_organization_id_fkey
        FOREIGN KEY (organization_id) REFERENCES wallets;
