-- What a message belongs to, when it was not sent on its own, and how it is tried when its sender says
-- otherwise than is usual. All three are missing for most messages, and take no room then.
ALTER TABLE delivery_logs
    ADD COLUMN campaign_id uuid,
    ADD COLUMN trigger_id  uuid,
    ADD COLUMN retry_rules jsonb;
