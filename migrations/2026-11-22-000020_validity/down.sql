DROP INDEX delivery_jobs_turn;
CREATE INDEX delivery_jobs_turn ON delivery_jobs (lane, organization_id, due_at);
ALTER TABLE delivery_jobs DROP COLUMN line;
ALTER TABLE delivery_logs DROP COLUMN expires_at;
