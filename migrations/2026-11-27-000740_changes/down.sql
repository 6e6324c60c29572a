DROP FUNCTION log_change() CASCADE;
DROP TABLE changes;
