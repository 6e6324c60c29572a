ALTER TABLE delivery_logs DROP COLUMN text_notes;
ALTER TABLE campaigns DROP COLUMN format;
ALTER TABLE templates DROP COLUMN format;
