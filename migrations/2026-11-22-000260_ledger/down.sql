DROP VIEW ledger_sides, ledger, unentered_movements;
DROP FUNCTION unentered_movements_of(uuid);
DROP TRIGGER wallet_credits_entered ON wallet_credits;
DROP TRIGGER wallet_credits_append_only ON wallet_credits;
DROP TRIGGER ledger_hours_posted ON ledger_hours;
DROP TRIGGER ledger_hours_kept ON ledger_hours;
DROP TRIGGER journal_rollups_posted ON journal_rollups;
DROP TRIGGER journal_rollups_append_only ON journal_rollups;
DROP TRIGGER journal_posted ON journal;
DROP TRIGGER journal_append_only ON journal;
DROP FUNCTION is_posting();
DROP TRIGGER ledger_entries_chain ON ledger_entries;
DROP FUNCTION chain_ledger_entry();
DROP FUNCTION ledger_hash(bytea, uuid, bigint, uuid, text, text, bigint, integer, text, timestamptz);
DROP TABLE ledger_heads;
ALTER TABLE ledger_entries DROP COLUMN contra_account, DROP COLUMN sequence, DROP COLUMN hash;
DROP FUNCTION ledger_account(text);
CREATE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
    UNION ALL
    SELECT id, organization_id, kind, amount_micros, 0, reference, created_at
    FROM wallet_credits WHERE NOT is_entered
    UNION ALL
    SELECT id, organization_id, kind, amount_micros, messages, NULL, updated_at
    FROM ledger_hours
    UNION ALL
    SELECT waiting.id, paid.organization_id, 'MESSAGE_DEBIT', paid.amount_micros, paid.messages,
        NULL, waiting.written_at
    FROM (SELECT id, written_at, payer_ids, debits_micros, paid_messages FROM journal_rollups
        UNION ALL
        SELECT id, written_at, payer_ids, debits_micros, paid_messages FROM journal) AS waiting
    CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages)
        AS paid (organization_id, amount_micros, messages)
    UNION ALL
    SELECT waiting.id, refund.organization_id, 'MESSAGE_REFUND', refund.amount_micros,
        refund.messages, NULL, waiting.written_at
    FROM (SELECT id, written_at, payee_ids, refunds_micros, refunded_messages FROM journal_rollups
        UNION ALL
        SELECT id, written_at, payee_ids, refunds_micros, refunded_messages FROM journal) AS waiting
    CROSS JOIN UNNEST(payee_ids, refunds_micros, refunded_messages)
        AS refund (organization_id, amount_micros, messages);
