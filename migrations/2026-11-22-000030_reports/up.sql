-- What an entry comes from, and of which category messages are refused; without one, of all.
ALTER TABLE suppressions
    ADD COLUMN category text,
    ADD COLUMN source text NOT NULL DEFAULT 'MANUAL'
        CHECK (source IN ('MANUAL', 'STOP', 'COMPLAINT', 'UNSUBSCRIBE', 'VENDOR'));
UPDATE suppressions SET source = 'STOP' WHERE reason = 'OPTED_OUT';

-- The message of a kept report, once its identifier is written. Reports are kept for an hour.
DELETE FROM unmatched_reports WHERE received_at < now() - interval '1 hour';
ALTER TABLE unmatched_reports ADD COLUMN message_id uuid;
CREATE INDEX unmatched_reports_matched ON unmatched_reports (id) WHERE message_id IS NOT NULL;
UPDATE unmatched_reports kept SET message_id = known.message_id FROM provider_references known
    WHERE known.provider = kept.provider AND known.reference = kept.reference;

-- Identifiers are forgotten by the age of their messages.
CREATE INDEX provider_references_message ON provider_references (message_id);
