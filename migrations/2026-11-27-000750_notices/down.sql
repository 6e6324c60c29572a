ALTER TABLE traffic_alerts ADD COLUMN is_told boolean NOT NULL DEFAULT true;
UPDATE traffic_alerts alert SET is_told = false FROM notices notice
WHERE notice.organization_id = alert.organization_id AND notice.ended_at IS NULL
    AND notice.kind = 'TRAFFIC_ALERT' AND notice.data ->> 'id' = alert.id::text;
ALTER TABLE traffic_alerts ALTER COLUMN is_told SET DEFAULT false;
CREATE INDEX traffic_alerts_untold ON traffic_alerts (found_at) WHERE NOT is_told;

ALTER TABLE approvals ADD COLUMN tell_at timestamptz;
UPDATE approvals approval SET tell_at = now() FROM notices notice
WHERE notice.organization_id = approval.organization_id AND notice.ended_at IS NULL
    AND notice.key = 'approval-' || approval.id;
CREATE INDEX approvals_tell ON approvals (tell_at) WHERE tell_at IS NOT NULL;

DROP TABLE notices;
