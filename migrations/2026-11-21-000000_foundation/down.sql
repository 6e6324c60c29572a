DROP TABLE delivery_log_counters, idempotency_keys, instances, delivery_jobs, delivery_logs, suppressions,
    templates, plans, pricing_rules, ledger_entries, wallets, api_keys, members, organizations,
    password_reset_tokens, login_attempts, users;
DROP FUNCTION prepare_delivery_logs, uuid_floor, refuse_change;
