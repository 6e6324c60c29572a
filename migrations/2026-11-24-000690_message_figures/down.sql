DROP FUNCTION message_figures_of(uuid, text);
DROP FUNCTION unposted_figures_of(uuid);
DROP VIEW unposted_figures;
DROP TABLE message_figures;
DROP FUNCTION figure_hours_kept_since();
DROP FUNCTION dimension_values(text);
ALTER TABLE journal_rollups DROP COLUMN dimensions;
ALTER TABLE journal DROP COLUMN dimensions;
