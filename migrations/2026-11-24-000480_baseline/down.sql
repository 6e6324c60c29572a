DROP VIEW
    wallet_balances, ledger_sides, ledger, unentered_movements, platform_counts,
    delivery_log_slot_counts, delivery_log_counts, unposted_counts;

-- The only function with a row of a table as an argument.
DROP FUNCTION audit_hash;

-- Triggers and partitions are dropped with their tables.
DROP TABLE
    delivery_log_retention, traffic_judgements, traffic_alerts, traffic_days, traffic_range_hours,
    traffic_hours, recommendations, audit_heads, audit_log, triggers, events, campaign_counts,
    campaign_totals, campaigns, unsubscribe_codes, crossing_suppressions, suppression_blocks,
    suppression_counts, suppressions, segment_members, segments, import_errors, import_chunks,
    imports, unfinished_erasures, erasure_walks, contact_erasures, contact_blocks, contact_counts,
    contacts, platform_counters, delivery_log_slots, delivery_log_counters, journal_rollups,
    journal, code_sweep, sending_windows, idempotency_keys, instances, delivery_jobs,
    delivery_logs, messaging_windows, conversations, unmatched_reports, provider_references,
    provider_minutes, provider_health, provider_states, providers, sandbox_events,
    webhook_deliveries, outbound_events, webhook_endpoints, sender_name_claims, sender_names,
    approvals, template_counts, template_versions, templates, statement_runs, invoice_numbers,
    invoices, simulated_payments, payment_exceptions, gateway_events, top_ups, ledger_hours,
    ledger_heads, ledger_entries, wallet_credits, wallets, pricing_version, pricing_rules, plans,
    api_keys, members, organization_totals, organizations, service_keys, revoked_sessions,
    email_verification_tokens, reset_mails, password_reset_tokens, login_attempts, users;

DROP FUNCTION
    drop_oldest_month_of_log, log_has_unfinished, drop_months, drop_oldest_month, oldest_month,
    end_of_month, note_purged_audit_lines, keep_audit_line, chain_audit_line, audit_value,
    campaign_counts_of(uuid, uuid), campaign_counts_of(uuid, uuid[]), forget_campaign_counts,
    count_campaign, campaign_has_ended, suppressions_like, newest_suppressions_like,
    suppressions_after, note_crossing_suppression, count_suppressions, suppression_text,
    file_waits_since_before, erased_event, events_to_erase, messages_to_erase, is_over,
    contacts_like, newest_contacts_like, contacts_after, weigh_changed_contacts, weigh_contacts,
    contact_bytes, count_contacts, contact_tag_keys, wallet_balance_of, unentered_movements_of,
    delivery_log_slot_counts_of, delivery_log_counts_of, unposted_counts_of, hours_kept_since,
    journal_bucket, lease_of, listens, note_changed_endpoint, weigh_template_version,
    count_template, note_template_change, chain_ledger_entry, ledger_hash, ledger_account,
    credit_wallet, is_posting, refuse_spending, count_pricing_change, count_organizations,
    count_spending_change, prepare_month, refuse_change, uuid_v7_in, uuid_v7, uuid_floor;

-- An extension stays if another role created it, or if other objects use it.
DO $$ BEGIN
    DROP EXTENSION IF EXISTS btree_gin, pg_trgm;
EXCEPTION
    WHEN insufficient_privilege OR dependent_objects_still_exist THEN NULL;
END $$;
