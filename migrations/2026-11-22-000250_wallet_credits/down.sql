INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, reference, created_at)
    SELECT id, organization_id, kind, amount_micros, reference, created_at
    FROM wallet_credits WHERE NOT is_entered;
CREATE OR REPLACE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
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
DROP FUNCTION credit_wallet(uuid, uuid, text, text, bigint, timestamptz);
DROP TABLE wallet_credits;
