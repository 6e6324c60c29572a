DROP INDEX wallet_credits_made, webhook_endpoints_behind;
