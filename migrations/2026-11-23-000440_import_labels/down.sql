ALTER TABLE imports DROP COLUMN labels;
