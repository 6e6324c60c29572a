-- Payments of today, and endpoints at which every call fails, of all organizations: platform administrators
-- look at them. Nothing has been released yet, so no instance writes while the indexes are made.
DO $$ BEGIN
    EXECUTE 'CREATE INDEX wallet_credits_made ON wallet_credits (created_at)';
    EXECUTE 'CREATE INDEX webhook_endpoints_behind ON webhook_endpoints (failing_since) '
        'WHERE failing_since IS NOT NULL AND is_active';
END $$;
