-- A job that is due and that nobody has is ready: claims share the ready ones out by organization. All
-- others wait for their time: for their next try, for a report, or for the end of a lease.
ALTER TABLE delivery_jobs ADD COLUMN is_ready boolean NOT NULL DEFAULT false;
ALTER TABLE delivery_jobs DROP CONSTRAINT delivery_jobs_pkey, ADD PRIMARY KEY (organization_id, id);
DROP INDEX delivery_jobs_turn;
CREATE INDEX delivery_jobs_due ON delivery_jobs (lane, due_at) WHERE NOT is_ready;
CREATE INDEX delivery_jobs_ready ON delivery_jobs (lane, line, organization_id, due_at) WHERE is_ready;
-- What is counted beside the ready ones: messages that wait for their next try. Most never do.
CREATE INDEX delivery_jobs_put_off ON delivery_jobs (lane)
    WHERE lease IS NULL AND NOT is_follow_up AND NOT is_ready;
-- A message leaves two dead rows here. They are gone before the time has come at which a claim would
-- pass by them: a lease lasts two minutes. A share of the table would be too many when reports stay out.
ALTER TABLE delivery_jobs SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
