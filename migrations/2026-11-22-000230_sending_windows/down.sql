CREATE OR REPLACE FUNCTION is_over(status text, expires_at timestamptz, created_at timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT status IN ('DELIVERED', 'FAILED')
        OR coalesce(expires_at, created_at) < now() - interval '4 days'
$$;
UPDATE delivery_jobs SET is_ready = true, due_at = now() WHERE held_by IS NOT NULL AND lease IS NULL;
DROP INDEX delivery_jobs_held;
ALTER TABLE delivery_jobs DROP COLUMN held_by;
ALTER TABLE delivery_logs DROP COLUMN valid_from;
DROP TABLE sending_windows;
