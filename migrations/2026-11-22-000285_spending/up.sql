-- What an organization has decided about its spending; null is nothing.
ALTER TABLE organizations
    ADD COLUMN low_balance_threshold_micros bigint CHECK (low_balance_threshold_micros >= 0),
    ADD COLUMN daily_spending_limit_micros bigint CHECK (daily_spending_limit_micros > 0),
    -- How often that changed, and which of these changes its wallet has.
    ADD COLUMN spending_version bigint NOT NULL DEFAULT 0,
    ADD COLUMN spending_applied bigint NOT NULL DEFAULT 0;
CREATE INDEX organizations_unapplied ON organizations (id)
    WHERE spending_applied <> spending_version;

CREATE FUNCTION count_spending_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.low_balance_threshold_micros, NEW.daily_spending_limit_micros)
        IS DISTINCT FROM (OLD.low_balance_threshold_micros, OLD.daily_spending_limit_micros) THEN
        NEW.spending_version := OLD.spending_version + 1;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER organizations_spending_changed
    BEFORE UPDATE OF low_balance_threshold_micros, daily_spending_limit_micros ON organizations
    FOR EACH ROW EXECUTE FUNCTION count_spending_change();

-- The same beside the balance, and what was spent on the last day on which something was. No index may
-- name a column that acceptance changes.
ALTER TABLE wallets
    ADD COLUMN daily_limit_micros bigint,
    ADD COLUMN spent_on date,
    ADD COLUMN spent_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN low_balance_micros bigint,
    -- Whether somebody was told that the balance is below that, and how often it fell.
    ADD COLUMN is_low boolean NOT NULL DEFAULT false,
    ADD COLUMN falls integer NOT NULL DEFAULT 0,
    -- Which change of the organization this is.
    ADD COLUMN spending_version bigint NOT NULL DEFAULT 0;
CREATE INDEX wallets_watched ON wallets (organization_id) WHERE low_balance_micros IS NOT NULL;

-- Ends a statement that spends more in a day than the organization allows. No constraint does that: the
-- limit may be set below what was spent before.
CREATE FUNCTION refuse_spending() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the daily spending limit is reached';
END $$;

ALTER TABLE campaigns DROP CONSTRAINT campaigns_paused_reason_check,
    ADD CONSTRAINT campaigns_paused_reason_check
        CHECK (paused_reason IN ('USER', 'INSUFFICIENT_BALANCE', 'SPENDING_LIMIT_REACHED'));
