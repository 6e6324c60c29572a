-- Until when a message is worth sending; a message of before has what is usual for its category.
ALTER TABLE delivery_logs ADD COLUMN expires_at timestamptz;

-- What a job waits for: those that the same providers may take have the same number, and 0 is nothing.
ALTER TABLE delivery_jobs ADD COLUMN line integer NOT NULL DEFAULT 0;
DROP INDEX delivery_jobs_turn;
CREATE INDEX delivery_jobs_turn ON delivery_jobs (lane, organization_id, line, due_at);
