DROP TABLE refused_calls, api_key_calls;
ALTER TABLE api_keys DROP COLUMN created_by, DROP COLUMN rotated_at;
