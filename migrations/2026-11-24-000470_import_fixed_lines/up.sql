-- The number of rows of contacts that were taken and whose phone is a fixed line.
ALTER TABLE imports ADD COLUMN fixed_line_rows integer NOT NULL DEFAULT 0;
