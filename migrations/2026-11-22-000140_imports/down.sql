DROP TABLE import_errors;
DROP TABLE import_chunks;
DROP TABLE imports;
