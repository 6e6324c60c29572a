ALTER TABLE outbound_events DROP COLUMN trace;
