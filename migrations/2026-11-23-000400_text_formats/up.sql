-- How a text is written, TEXT or HTML, if its writer said so; it is judged by what is written, if not.
ALTER TABLE templates ADD COLUMN format text CHECK (format IN ('TEXT', 'HTML'));
ALTER TABLE campaigns ADD COLUMN format text CHECK (format IN ('TEXT', 'HTML'));

-- What is known of the text of a message beside what it says: {"isHtml"} of a mail, as was decided before
-- anything was filled in. It is missing for most messages, and for those that the version before accepted.
ALTER TABLE delivery_logs ADD COLUMN text_notes jsonb;
