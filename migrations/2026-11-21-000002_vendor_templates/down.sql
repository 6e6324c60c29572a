ALTER TABLE delivery_logs DROP COLUMN vendor_template;
ALTER TABLE templates DROP COLUMN vendor_template;
