-- Tables and columns by the names that the code uses.
ALTER TABLE provider_standings RENAME TO provider_states;
ALTER TABLE sessions RENAME TO messaging_windows;
ALTER TABLE delivery_logs RENAME COLUMN lane TO priority;
ALTER TABLE delivery_jobs RENAME COLUMN lane TO priority;
