DROP TABLE triggers;
DROP TRIGGER templates_changed ON templates;
DROP FUNCTION note_template_change;
ALTER TABLE templates DROP COLUMN changed_at;
DROP TABLE events;
