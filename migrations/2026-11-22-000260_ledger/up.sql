-- Accounts ------------------------------------------------------------------------------------------

-- From which account comes what a wallet gets, and to which goes what it pays.
CREATE FUNCTION ledger_account(kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE kind
        WHEN 'TRIAL_CREDIT' THEN 'TRIAL'
        WHEN 'MESSAGE_DEBIT' THEN 'REVENUE'
        WHEN 'MESSAGE_REFUND' THEN 'REFUNDS'
        WHEN 'TOP_UP' THEN 'GATEWAY_CLEARING'
        WHEN 'MANUAL_CREDIT' THEN 'MANUAL_PAYMENTS'
        WHEN 'CORRECTION' THEN 'ADJUSTMENTS'
    END
$$;

-- The chain -----------------------------------------------------------------------------------------

-- The last entry of each organization.
CREATE TABLE ledger_heads (
    organization_id uuid   PRIMARY KEY,
    sequence        bigint NOT NULL,
    hash            bytea  NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE ledger_heads IS 'tenant';

-- SHA-256 over the hash of the entry before, or 32 zero bytes, and all that an entry says.
CREATE FUNCTION ledger_hash(previous bytea, organization uuid, sequence bigint, id uuid, kind text,
    account text, amount_micros bigint, messages integer, reference text, created_at timestamptz)
RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(previous || convert_to(organization::text || E'\n' || sequence::text || E'\n'
        || id::text || E'\n' || kind || E'\n' || account || E'\n' || amount_micros::text || E'\n'
        || messages::text || E'\n' || (extract(epoch FROM created_at) * 1000000)::bigint::text || E'\n'
        || coalesce('=' || reference, ''), 'UTF8'))
$$;

-- Whoever writes an entry chains it. Rows that another server sends come as they are there.
CREATE FUNCTION chain_ledger_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.contra_account := coalesce(NEW.contra_account, ledger_account(NEW.kind));
    IF NEW.contra_account IS NULL THEN
        RAISE EXCEPTION 'movements of the kind % have no account', NEW.kind;
    END IF;
    INSERT INTO ledger_heads AS head (organization_id, sequence, hash)
        VALUES (NEW.organization_id, 1, ledger_hash(decode(repeat('00', 32), 'hex'),
            NEW.organization_id, 1, NEW.id, NEW.kind, NEW.contra_account, NEW.amount_micros,
            NEW.messages, NEW.reference, NEW.created_at))
        ON CONFLICT (organization_id) DO UPDATE
        SET sequence = head.sequence + 1,
            hash = ledger_hash(head.hash, NEW.organization_id, head.sequence + 1, NEW.id, NEW.kind,
                NEW.contra_account, NEW.amount_micros, NEW.messages, NEW.reference, NEW.created_at)
        RETURNING head.sequence, head.hash INTO NEW.sequence, NEW.hash;
    RETURN NEW;
END $$;

-- The entries of before are written anew, chained in the order of their time. Nobody adds one meanwhile.
LOCK TABLE ledger_entries IN ACCESS EXCLUSIVE MODE;
CREATE TEMPORARY TABLE entries_before ON COMMIT DROP AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries;
DO $$
DECLARE
    partition regclass;
BEGIN
    FOR partition IN SELECT relid FROM pg_partition_tree('ledger_entries') LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', partition);
    END LOOP;
    TRUNCATE ledger_entries;
    FOR partition IN SELECT relid FROM pg_partition_tree('ledger_entries') LOOP
        EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', partition);
    END LOOP;
END $$;
ALTER TABLE ledger_entries
    -- The other side of the movement: what the wallet gets it loses.
    ADD COLUMN contra_account text   NOT NULL,
    -- Which entry of its organization this is, from 1 on without gaps.
    ADD COLUMN sequence       bigint NOT NULL,
    ADD COLUMN hash           bytea  NOT NULL,
    ADD CONSTRAINT ledger_entries_sides CHECK (contra_account IS NOT DISTINCT FROM ledger_account(kind));
-- A unique one would have to contain the key of the partitions.
CREATE INDEX ledger_entries_sequence ON ledger_entries (organization_id, sequence);
CREATE TRIGGER ledger_entries_chain BEFORE INSERT ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION chain_ledger_entry();
INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, reference, created_at)
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM entries_before ORDER BY organization_id, created_at, id;

-- What changes no more ------------------------------------------------------------------------------

-- Only the chain moves heads.
CREATE TRIGGER ledger_heads_chained BEFORE UPDATE ON ledger_heads
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_heads_kept BEFORE DELETE OR TRUNCATE ON ledger_heads
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Who posts says so by this setting, until the end of the transaction. Nobody else takes away what
-- waits to be posted.
CREATE FUNCTION is_posting() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT current_setting('atumpan.posting', true) IS NOT DISTINCT FROM 'on'
$$;
CREATE TRIGGER journal_append_only BEFORE UPDATE OR TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_posted BEFORE DELETE ON journal
    FOR EACH STATEMENT WHEN (NOT is_posting()) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_rollups_append_only BEFORE UPDATE OR TRUNCATE ON journal_rollups
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_rollups_posted BEFORE DELETE ON journal_rollups
    FOR EACH STATEMENT WHEN (NOT is_posting()) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_hours_kept BEFORE TRUNCATE ON ledger_hours
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_hours_posted BEFORE UPDATE OR DELETE ON ledger_hours
    FOR EACH STATEMENT WHEN (NOT is_posting()) EXECUTE FUNCTION refuse_change();
-- A credit is entered, once.
CREATE TRIGGER wallet_credits_append_only BEFORE DELETE OR TRUNCATE ON wallet_credits
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER wallet_credits_entered BEFORE UPDATE ON wallet_credits
    FOR EACH ROW WHEN (
        NOT is_posting() OR OLD.is_entered OR NOT NEW.is_entered
        OR (OLD.organization_id, OLD.id, OLD.kind, OLD.reference, OLD.amount_micros, OLD.created_at)
            IS DISTINCT FROM
            (NEW.organization_id, NEW.id, NEW.kind, NEW.reference, NEW.amount_micros, NEW.created_at))
    EXECUTE FUNCTION refuse_change();

-- What is shown -------------------------------------------------------------------------------------

-- Movements that are not entered yet, of all organizations.
CREATE VIEW unentered_movements AS
    SELECT id, organization_id, kind, amount_micros, 0 AS messages, reference, created_at
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

-- The same of one organization, added up as they will be entered. What has no row in `ledger_hours` yet
-- has no identifier. Only lines and rollups that name the organization are taken apart.
CREATE FUNCTION unentered_movements_of(organization uuid)
RETURNS TABLE (id uuid, kind text, amount_micros bigint, messages integer, reference text,
    created_at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT credit.id, credit.kind, credit.amount_micros, 0, credit.reference, credit.created_at
    FROM wallet_credits credit
    WHERE credit.organization_id = unentered_movements_of.organization AND NOT credit.is_entered
    UNION ALL
    SELECT (array_agg(part.id) FILTER (WHERE part.id IS NOT NULL))[1], part.kind,
        sum(part.amount_micros)::bigint, sum(part.messages)::integer, NULL, max(part.created_at)
    FROM (
        SELECT hours.id, hours.hour, hours.kind, hours.amount_micros, hours.messages,
            hours.updated_at AS created_at
        FROM ledger_hours hours
        WHERE hours.organization_id = unentered_movements_of.organization
        UNION ALL
        SELECT NULL, date_trunc('hour', waiting.written_at, 'UTC'), movement.kind,
            movement.amount_micros, movement.messages, waiting.written_at
        FROM (SELECT written_at, payer_ids, debits_micros, paid_messages, payee_ids, refunds_micros,
                refunded_messages
            FROM journal_rollups
            WHERE bucket = journal_bucket(unentered_movements_of.organization)
                AND (unentered_movements_of.organization = ANY(payer_ids)
                    OR unentered_movements_of.organization = ANY(payee_ids))
            UNION ALL
            SELECT written_at, payer_ids, debits_micros, paid_messages, payee_ids, refunds_micros,
                refunded_messages
            FROM journal
            WHERE unentered_movements_of.organization = ANY(payer_ids)
                OR unentered_movements_of.organization = ANY(payee_ids)) AS waiting
        CROSS JOIN LATERAL (
            SELECT 'MESSAGE_DEBIT' AS kind, paid.*
            FROM UNNEST(payer_ids, debits_micros, paid_messages)
                AS paid (organization_id, amount_micros, messages)
            UNION ALL
            SELECT 'MESSAGE_REFUND', refund.*
            FROM UNNEST(payee_ids, refunds_micros, refunded_messages)
                AS refund (organization_id, amount_micros, messages)) AS movement
        WHERE movement.organization_id = unentered_movements_of.organization) AS part
    GROUP BY part.hour, part.kind
$$;

-- All movements. Those that are not entered yet have no number and no hash.
CREATE OR REPLACE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at, contra_account,
        sequence, hash
    FROM ledger_entries
    UNION ALL
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at,
        ledger_account(kind), NULL, NULL
    FROM unentered_movements;

-- Both sides of all movements. Together they are zero.
CREATE VIEW ledger_sides AS
    SELECT movement.organization_id, movement.id, side.account, side.amount_micros, movement.created_at
    FROM ledger movement
    CROSS JOIN LATERAL (VALUES ('WALLET', movement.amount_micros),
        (movement.contra_account, -movement.amount_micros)) AS side (account, amount_micros);
