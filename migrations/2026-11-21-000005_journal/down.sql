INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, created_at)
    SELECT id, organization_id, kind, amount_micros, messages, created_at FROM ledger
    WHERE (organization_id, id) NOT IN (SELECT organization_id, id FROM ledger_entries);
DROP VIEW ledger;
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_pkey, ADD PRIMARY KEY (id, organization_id);
CREATE INDEX ledger_entries_organization ON ledger_entries (organization_id, id);

CREATE TEMPORARY TABLE summed ON COMMIT DROP AS
    SELECT organization_id, span, starts_at, channel, status, is_sandbox,
        sum(messages)::bigint AS messages, sum(segments)::bigint AS segments,
        sum(cost_micros)::bigint AS cost_micros
    FROM delivery_log_counts
    GROUP BY organization_id, span, starts_at, channel, status, is_sandbox;
DROP VIEW delivery_log_counts, delivery_log_slot_counts;
DROP TABLE delivery_log_slots;
TRUNCATE delivery_log_counters;
ALTER TABLE delivery_log_counters DROP CONSTRAINT delivery_log_counters_pkey,
    ADD COLUMN shard smallint NOT NULL,
    ADD PRIMARY KEY (organization_id, span, starts_at, channel, status, is_sandbox, shard);
INSERT INTO delivery_log_counters
    (organization_id, span, starts_at, channel, status, is_sandbox, shard, messages, segments,
        cost_micros)
    SELECT organization_id, span, starts_at, channel, status, is_sandbox, 0, messages, segments,
        cost_micros
    FROM summed;

DROP TABLE journal;
