DROP INDEX campaigns_leased;
DROP FUNCTION campaign_counts_of(uuid, uuid);
DROP FUNCTION campaign_counts_of(uuid, uuid[]);
DROP TABLE campaign_counts;
ALTER TABLE journal
    DROP COLUMN campaign_organization_ids,
    DROP COLUMN campaign_ids,
    DROP COLUMN campaign_statuses,
    DROP COLUMN campaign_messages;
