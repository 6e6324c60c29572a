DROP TRIGGER suppressions_counted ON suppressions;
DROP FUNCTION count_suppression();
DROP TABLE suppression_counts;
ALTER TABLE suppressions DROP CONSTRAINT suppressions_pkey, ADD PRIMARY KEY (id);
DROP INDEX suppressions_same;
