DROP INDEX webhook_endpoints_failing;
