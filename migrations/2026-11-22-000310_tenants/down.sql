DROP TRIGGER pricing_rules_changed ON pricing_rules;
DROP FUNCTION count_pricing_change();
DROP TABLE pricing_version;
DROP INDEX plans_one_each;
-- Of plans of one name only one can stay.
DELETE FROM plans plan USING plans other
    WHERE plan.name = other.name AND plan.id <> other.id
        AND (other.is_active OR NOT plan.is_active
            AND (other.created_at, other.id) > (plan.created_at, plan.id));
ALTER TABLE plans ADD CONSTRAINT plans_name_key UNIQUE (name);
ALTER TABLE plans DROP COLUMN ended_at, DROP COLUMN created_at;
DROP INDEX pricing_rules_organization, pricing_rules_newest;
ALTER TABLE pricing_rules DROP COLUMN ended_at, DROP COLUMN created_at;

DROP TRIGGER organizations_counted ON organizations;
DROP FUNCTION count_organizations();
DROP TABLE organization_totals;
DROP INDEX organizations_name_search, organizations_suspended;
-- What waited for an organization is due.
UPDATE delivery_jobs SET held_by = NULL, is_ready = true, due_at = now()
    WHERE held_by = organization_id AND lease IS NULL;
ALTER TABLE organizations
    DROP COLUMN suspension_reason,
    DROP COLUMN suspended_at,
    DROP COLUMN request_limit,
    DROP COLUMN sandbox_limit,
    DROP COLUMN live_limit;
