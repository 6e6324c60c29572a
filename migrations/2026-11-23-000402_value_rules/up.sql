-- What may be filled into a template: {"short", "allowsLong"}. It is null where the usual holds.
ALTER TABLE templates ADD COLUMN value_rules jsonb;

-- What else is approved with a text: {"vendorTemplate", "allowsLongValues"}.
ALTER TABLE approvals ADD COLUMN details jsonb;
