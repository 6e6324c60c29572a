-- How a template is called at the vendor of its channel, who approved it there, and which of our
-- placeholders fill it: {"name", "language", "parameters": […], "button"}.
ALTER TABLE templates
    ADD COLUMN vendor_template jsonb CONSTRAINT templates_vendor_template_channel
        CHECK (vendor_template IS NULL OR channel = 'WHATSAPP');

-- The same, filled when the message was accepted: {"name", "language", "values": […], "button"}.
ALTER TABLE delivery_logs ADD COLUMN vendor_template jsonb;
