ALTER TABLE delivery_jobs RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
DROP INDEX delivery_jobs_put_off, delivery_jobs_ready, delivery_jobs_due;
CREATE INDEX delivery_jobs_turn ON delivery_jobs (lane, organization_id, line, due_at);
ALTER TABLE delivery_jobs DROP CONSTRAINT delivery_jobs_pkey, ADD PRIMARY KEY (id);
ALTER TABLE delivery_jobs DROP COLUMN is_ready;
