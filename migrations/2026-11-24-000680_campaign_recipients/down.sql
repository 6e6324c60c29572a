DROP FUNCTION campaign_messages_of(uuid, uuid, uuid, uuid, bigint, bigint, boolean, text[]);
DROP INDEX delivery_logs_campaign_failures;
DROP FUNCTION campaign_figures_of(uuid, uuid[]);
CREATE OR REPLACE FUNCTION forget_campaign_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM campaign_counts
    WHERE organization_id = OLD.organization_id AND campaign_id = OLD.id;
    RETURN NULL;
END $$;
ALTER TABLE journal DROP COLUMN campaign_costs_micros, DROP COLUMN campaign_reasons;
ALTER TABLE campaign_counts DROP COLUMN cost_micros;
DROP TRIGGER contacts_deleted ON contacts;
DROP FUNCTION forget_campaign_skips();
DROP TABLE campaign_reasons, campaign_skips;
