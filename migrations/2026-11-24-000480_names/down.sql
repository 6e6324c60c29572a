ALTER TABLE delivery_jobs RENAME COLUMN priority TO lane;
ALTER TABLE delivery_logs RENAME COLUMN priority TO lane;
ALTER TABLE messaging_windows RENAME TO sessions;
ALTER TABLE provider_states RENAME TO provider_standings;
