DROP TABLE log_export_parts, log_exports;
