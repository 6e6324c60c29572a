-- What each batch changes in the totals, one line for a batch. Lines are posted to the counters and
-- to the ledger, many at a time: a hundred organizations that send all the time then cost a hundred
-- updates a posting instead of a hundred a batch. What is not posted yet counts all the same, for the
-- views below add it.
CREATE TABLE journal (
    id               uuid PRIMARY KEY,
    written_at       timestamptz NOT NULL,
    -- Messages that came into a state, or left it, by the minute of their acceptance.
    organization_ids uuid[] NOT NULL,
    slots            timestamptz[] NOT NULL,
    channels         text[] NOT NULL,
    statuses         text[] NOT NULL,
    are_sandbox      boolean[] NOT NULL,
    messages         bigint[] NOT NULL,
    segments         bigint[] NOT NULL,
    costs_micros     bigint[] NOT NULL,
    -- What wallets paid for messages.
    payer_ids        uuid[] NOT NULL,
    debits_micros    bigint[] NOT NULL,
    paid_messages    integer[] NOT NULL
) WITH (toast_tuple_target = 8160);

-- One line for all shards: only who posts writes.
CREATE TEMPORARY TABLE summed ON COMMIT DROP AS
    SELECT organization_id, span, starts_at, channel, status, is_sandbox,
        sum(messages)::bigint AS messages, sum(segments)::bigint AS segments,
        sum(cost_micros)::bigint AS cost_micros
    FROM delivery_log_counters
    GROUP BY organization_id, span, starts_at, channel, status, is_sandbox;
TRUNCATE delivery_log_counters;
ALTER TABLE delivery_log_counters DROP COLUMN shard,
    ADD PRIMARY KEY (organization_id, span, starts_at, channel, status, is_sandbox);
INSERT INTO delivery_log_counters
    (organization_id, span, starts_at, channel, status, is_sandbox, messages, segments, cost_micros)
    SELECT * FROM summed;

CREATE VIEW delivery_log_counts AS
    SELECT organization_id, span, starts_at, channel, status, is_sandbox, messages, segments,
        cost_micros
    FROM delivery_log_counters
    UNION ALL
    SELECT line.organization_id, span, date_trunc(span, line.slot, 'UTC'), line.channel,
        line.status, line.is_sandbox, line.messages, line.segments, line.cost_micros
    FROM journal
    CROSS JOIN UNNEST(organization_ids, slots, channels, statuses, are_sandbox, messages, segments,
        costs_micros) AS line (organization_id, slot, channel, status, is_sandbox, messages,
        segments, cost_micros)
    CROSS JOIN (VALUES ('HOUR'), ('DAY')) AS spans (span);

-- How many messages were accepted in a minute, whatever became of them: for pages that begin
-- within an hour, of which the lines before them would else be passed one by one.
CREATE TABLE delivery_log_slots (
    organization_id uuid NOT NULL,
    starts_at       timestamptz NOT NULL,
    channel         text NOT NULL,
    messages        bigint NOT NULL,
    PRIMARY KEY (organization_id, starts_at, channel)
) WITH (fillfactor = 50);
INSERT INTO delivery_log_slots (organization_id, starts_at, channel, messages)
    SELECT organization_id, date_trunc('minute', created_at, 'UTC'), channel, count(*)
    FROM delivery_logs GROUP BY 1, 2, 3;

CREATE VIEW delivery_log_slot_counts AS
    SELECT organization_id, starts_at, channel, messages FROM delivery_log_slots
    UNION ALL
    SELECT line.organization_id, line.slot, line.channel, line.messages
    FROM journal
    CROSS JOIN UNNEST(organization_ids, slots, channels, messages)
        AS line (organization_id, slot, channel, messages);

-- An entry is always looked for with its organization.
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_pkey,
    ADD PRIMARY KEY (organization_id, id);
DROP INDEX ledger_entries_organization;

CREATE VIEW ledger AS
    SELECT id, organization_id, kind, amount_micros, messages, reference, created_at
    FROM ledger_entries
    UNION ALL
    SELECT journal.id, paid.organization_id, 'MESSAGE_DEBIT', paid.amount_micros, paid.messages,
        NULL, journal.written_at
    FROM journal
    CROSS JOIN UNNEST(payer_ids, debits_micros, paid_messages)
        AS paid (organization_id, amount_micros, messages);
