UPDATE campaigns SET paused_reason = 'INSUFFICIENT_BALANCE'
WHERE status = 'PAUSED' AND paused_reason = 'SPENDING_LIMIT_REACHED';
ALTER TABLE campaigns DROP CONSTRAINT campaigns_paused_reason_check,
    ADD CONSTRAINT campaigns_paused_reason_check
        CHECK (paused_reason IN ('USER', 'INSUFFICIENT_BALANCE'));
DROP FUNCTION refuse_spending;
ALTER TABLE wallets DROP COLUMN daily_limit_micros, DROP COLUMN spent_on, DROP COLUMN spent_micros,
    DROP COLUMN low_balance_micros, DROP COLUMN is_low, DROP COLUMN falls,
    DROP COLUMN spending_version;
DROP TRIGGER organizations_spending_changed ON organizations;
DROP FUNCTION count_spending_change;
ALTER TABLE organizations DROP COLUMN low_balance_threshold_micros,
    DROP COLUMN daily_spending_limit_micros, DROP COLUMN spending_version,
    DROP COLUMN spending_applied;
