-- Only payments have a reference; the many entries of messages need no place in its index.
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_reference_key;
CREATE UNIQUE INDEX ledger_entries_reference_key ON ledger_entries (kind, reference)
    WHERE reference IS NOT NULL;

-- Who writes an entry has locked the wallet before, and wallets are never removed. The check would
-- lock it once more for each entry.
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_organization_id_fkey;
