ALTER TABLE imports DROP COLUMN fixed_line_rows;
