-- What a file calls its columns; the header says what they mean. NULL of imports whose header says both.
ALTER TABLE imports ADD COLUMN labels text[];
