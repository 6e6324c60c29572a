DROP FUNCTION messages_with_metadata;
DROP INDEX delivery_logs_metadata;
DROP FUNCTION metadata_hashes;
