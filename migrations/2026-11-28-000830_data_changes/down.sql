DROP FUNCTION require_data_change;
DROP FUNCTION advance_data_changes;
DROP TABLE data_changes;
