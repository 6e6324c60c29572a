-- What failed is looked for, and recovered, among a million deliveries that did not.
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (organization_id, endpoint_id, id)
    WHERE status = 'FAILED';
