-- Endpoints of which the owners are to be told that they fail.
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (failing_since)
    WHERE failing_since IS NOT NULL AND notified_at IS NULL AND is_active;
