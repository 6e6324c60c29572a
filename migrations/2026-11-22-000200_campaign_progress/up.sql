-- What becomes of the messages of campaigns ---------------------------------------------------------

-- Messages of campaigns that came into a state, or left it. Of other messages these are empty.
ALTER TABLE journal
    ADD COLUMN campaign_organization_ids uuid[]   NOT NULL DEFAULT '{}',
    ADD COLUMN campaign_ids              uuid[]   NOT NULL DEFAULT '{}',
    ADD COLUMN campaign_statuses         text[]   NOT NULL DEFAULT '{}',
    ADD COLUMN campaign_messages         bigint[] NOT NULL DEFAULT '{}';

-- How many messages of a campaign are in which state. Whoever folds the journal adds to them, so a
-- campaign that sends costs an update or two of each state a second.
CREATE TABLE campaign_counts (
    organization_id uuid NOT NULL,
    campaign_id     uuid NOT NULL,
    status          text NOT NULL,
    messages        bigint NOT NULL,
    PRIMARY KEY (organization_id, campaign_id, status)
) WITH (fillfactor = 50);
COMMENT ON TABLE campaign_counts IS 'tenant';

-- The same with what waits to be folded, of some campaigns of an organization. Only lines that name
-- one of them are taken apart.
CREATE FUNCTION campaign_counts_of(organization uuid, campaigns uuid[])
RETURNS TABLE (campaign_id uuid, status text, messages bigint) LANGUAGE sql STABLE AS $$
    SELECT each.campaign_id, each.status, sum(each.messages)::bigint
    FROM (SELECT counter.campaign_id, counter.status, counter.messages
        FROM campaign_counts counter
        WHERE counter.organization_id = campaign_counts_of.organization
            AND counter.campaign_id = ANY(campaign_counts_of.campaigns)
        UNION ALL
        SELECT line.campaign_id, line.status, line.messages
        FROM journal
        CROSS JOIN UNNEST(campaign_organization_ids, campaign_ids, campaign_statuses,
            campaign_messages) AS line (organization_id, campaign_id, status, messages)
        WHERE journal.campaign_ids && campaign_counts_of.campaigns
            AND line.organization_id = campaign_counts_of.organization
            AND line.campaign_id = ANY(campaign_counts_of.campaigns)) AS each
    GROUP BY each.campaign_id, each.status
$$;

-- The same of one campaign.
CREATE FUNCTION campaign_counts_of(organization uuid, campaign uuid)
RETURNS TABLE (status text, messages bigint) LANGUAGE sql STABLE AS $$
    SELECT counts.status, counts.messages
    FROM campaign_counts_of(organization, ARRAY[campaign]) AS counts
$$;

-- Whose campaigns somebody works on ------------------------------------------------------------------

CREATE INDEX campaigns_leased ON campaigns (organization_id) WHERE lease IS NOT NULL;
