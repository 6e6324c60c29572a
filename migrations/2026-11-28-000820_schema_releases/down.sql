DROP TABLE schema_releases;
