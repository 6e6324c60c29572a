-- Contacts that a campaign passed over, because they have no address for its channel. Written with the
-- position of the campaign, so each of them once.
CREATE TABLE campaign_skips (
    organization_id uuid        NOT NULL,
    campaign_id     uuid        NOT NULL,
    contact_id      uuid        NOT NULL,
    reason          text        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, campaign_id, contact_id)
);
-- The purge.
CREATE INDEX campaign_skips_created ON campaign_skips (created_at);
-- Contacts that are deleted.
CREATE INDEX campaign_skips_contact ON campaign_skips (organization_id, contact_id);
COMMENT ON TABLE campaign_skips IS 'tenant';

-- A deleted contact is forgotten here too, however it was deleted.
CREATE FUNCTION forget_campaign_skips() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM campaign_skips skip USING gone
    WHERE skip.organization_id = ANY(ARRAY[gone.organization_id])
        AND skip.contact_id = ANY(ARRAY[gone.id]);
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_deleted AFTER DELETE ON contacts REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_campaign_skips();

-- Number of failed messages of each campaign by their reason. It changes when the journal is folded.
CREATE TABLE campaign_reasons (
    organization_id uuid   NOT NULL,
    campaign_id     uuid   NOT NULL,
    reason          text   NOT NULL,
    messages        bigint NOT NULL,
    PRIMARY KEY (organization_id, campaign_id, reason)
) WITH (fillfactor = 50);
COMMENT ON TABLE campaign_reasons IS 'tenant';

-- Price of the messages in each state. Failed ones are refunded.
ALTER TABLE campaign_counts ADD COLUMN cost_micros bigint NOT NULL DEFAULT 0;

-- Reason of the messages that entered FAILED, NULL for all others, and the price of them all. Lines of
-- the version before have neither.
ALTER TABLE journal
    ADD COLUMN campaign_reasons      text[]   NOT NULL DEFAULT '{}',
    ADD COLUMN campaign_costs_micros bigint[] NOT NULL DEFAULT '{}';

-- Counts are deleted with their campaign.
CREATE OR REPLACE FUNCTION forget_campaign_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM campaign_counts
    WHERE organization_id = OLD.organization_id AND campaign_id = OLD.id;
    DELETE FROM campaign_reasons
    WHERE organization_id = OLD.organization_id AND campaign_id = OLD.id;
    RETURN NULL;
END $$;

-- Returns messages and their price by state, with `reason` NULL, and the failed messages again by their
-- reason. Includes journal lines that are not folded yet; only lines that contain one of the campaigns
-- are expanded.
CREATE FUNCTION campaign_figures_of(organization uuid, campaigns uuid[])
RETURNS TABLE (campaign_id uuid, status text, reason text, messages bigint, cost_micros bigint)
LANGUAGE sql STABLE AS $$
    SELECT each.campaign_id, each.status, each.reason, sum(each.messages)::bigint,
        sum(each.cost_micros)::bigint
    FROM (SELECT counter.campaign_id, counter.status, NULL AS reason, counter.messages,
            counter.cost_micros
        FROM campaign_counts counter
        WHERE counter.organization_id = campaign_figures_of.organization
            AND counter.campaign_id = ANY(campaign_figures_of.campaigns)
        UNION ALL
        SELECT counter.campaign_id, 'FAILED', counter.reason, counter.messages, 0
        FROM campaign_reasons counter
        WHERE counter.organization_id = campaign_figures_of.organization
            AND counter.campaign_id = ANY(campaign_figures_of.campaigns)
        UNION ALL
        SELECT line.campaign_id, line.status, part.reason, line.messages, part.cost_micros
        FROM journal
        CROSS JOIN UNNEST(campaign_organization_ids, campaign_ids, campaign_statuses,
            campaign_messages, campaign_reasons, campaign_costs_micros)
            AS line (organization_id, campaign_id, status, messages, reason, cost_micros)
        CROSS JOIN LATERAL (VALUES (true, NULL, coalesce(line.cost_micros, 0)),
            (line.reason IS NOT NULL, line.reason, 0)) AS part (counts, reason, cost_micros)
        WHERE part.counts AND journal.campaign_ids && campaign_figures_of.campaigns
            AND line.organization_id = campaign_figures_of.organization
            AND line.campaign_id = ANY(campaign_figures_of.campaigns)) AS each
    GROUP BY each.campaign_id, each.status, each.reason
$$;

-- Failed messages of a campaign by their reason. A message that fails costs one entry more; others cost
-- nothing. Nothing has been released yet, so no instance writes while the index is made.
DO $$
BEGIN
    EXECUTE 'CREATE INDEX delivery_logs_campaign_failures '
        'ON delivery_logs (organization_id, campaign_id, error_code, id) '
        'WHERE campaign_id IS NOT NULL AND failed_at IS NOT NULL';
END $$;

-- Returns up to `wanted` messages of a campaign with `since` <= id < `below`, newest first: those that
-- failed for one of `wanted_codes`, or, if that is NULL, those that have an outcome, only the accepted
-- ones if `is_accepted`. The second walk looks at no more than `looked_at` messages. If there are more,
-- and too few fit, it returns the last one that it looked at as well, as one that does not count.
--
-- In the second walk the campaign is compared as a range, so that only its own index has the order of the
-- result. Statements are planned for their values, which leaves out the months before the campaign.
CREATE FUNCTION campaign_messages_of(organization uuid, campaign uuid, since uuid, below uuid,
    looked_at bigint, wanted bigint, is_accepted boolean, wanted_codes text[])
RETURNS TABLE (id uuid, contact_id uuid, recipient text, status text, error_code text, is_match boolean)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
DECLARE
    own CONSTANT text := 'organization_id = $1 AND campaign_id BETWEEN $2 AND $2 AND id >= $3 AND id < $4';
    found bigint;
BEGIN
    IF wanted_codes IS NOT NULL THEN
        RETURN QUERY EXECUTE 'SELECT failed.*, true FROM unnest($5) AS wanted (code) CROSS JOIN LATERAL '
            '(SELECT id, contact_id, recipient, status, error_code FROM delivery_logs '
            'WHERE organization_id = $1 AND campaign_id = $2 AND error_code = wanted.code '
            'AND failed_at IS NOT NULL AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $6) AS failed '
            'ORDER BY failed.id DESC LIMIT $6'
            USING organization, campaign, since, below, wanted_codes, wanted;
        RETURN;
    END IF;
    RETURN QUERY EXECUTE 'SELECT id, contact_id, recipient, status, error_code, true '
        'FROM (SELECT * FROM delivery_logs WHERE ' || own
        || ' ORDER BY campaign_id DESC, id DESC LIMIT $5) AS looked_at '
        'WHERE status IN (''SENT'', ''DELIVERED'') OR status = ''FAILED'' AND NOT $7 '
        'ORDER BY campaign_id DESC, id DESC LIMIT $6'
        USING organization, campaign, since, below, looked_at, wanted, is_accepted;
    GET DIAGNOSTICS found = ROW_COUNT;
    IF found < wanted THEN
        RETURN QUERY EXECUTE 'SELECT id, NULL::uuid, NULL::text, status, NULL::text, false '
            'FROM delivery_logs WHERE ' || own
            || ' ORDER BY campaign_id DESC, id DESC OFFSET $5 - 1 LIMIT 1'
            USING organization, campaign, since, below, looked_at;
    END IF;
END $$;
