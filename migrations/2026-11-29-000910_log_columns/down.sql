-- The version before finds all columns by their names, and `prepare_month` returns the same to it.
SELECT 1;
