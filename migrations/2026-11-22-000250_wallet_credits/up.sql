-- Money that comes into a wallet, once for each reference of a kind. It is in the balance at once; the
-- ledger has it as soon as it is entered.
CREATE TABLE wallet_credits (
    organization_id uuid        NOT NULL,
    -- Of the entry that this will be.
    id              uuid        NOT NULL,
    kind            text        NOT NULL,
    reference       text        NOT NULL,
    amount_micros   bigint      NOT NULL CHECK (amount_micros > 0),
    created_at      timestamptz NOT NULL,
    is_entered      boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, id)
);
COMMENT ON TABLE wallet_credits IS 'tenant';
CREATE UNIQUE INDEX wallet_credits_reference ON wallet_credits (organization_id, kind, reference);
CREATE INDEX wallet_credits_waiting ON wallet_credits (id) WHERE NOT is_entered;

-- Credits a wallet, unless it was credited for the same before, and returns whether it was now, and
-- what the wallet holds. Fails if there is no wallet.
CREATE FUNCTION credit_wallet(
    organization uuid, credit uuid, credit_kind text, credit_reference text, amount bigint,
    moment timestamptz)
RETURNS TABLE (is_new boolean, balance_micros bigint) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet_credits (organization_id, id, kind, reference, amount_micros, created_at)
        VALUES (organization, credit, credit_kind, credit_reference, amount, moment)
        ON CONFLICT (organization_id, kind, reference) DO NOTHING;
    is_new := FOUND;
    IF is_new THEN
        UPDATE wallets SET balance_micros = wallets.balance_micros + amount,
            updated_at = greatest(updated_at, moment)
        WHERE organization_id = organization;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'organization % has no wallet', organization;
        END IF;
    END IF;
    RETURN QUERY SELECT is_new, balance.balance_micros FROM wallet_balance_of(organization) AS balance;
END $$;

CREATE OR REPLACE VIEW ledger AS
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
