ALTER TABLE approvals DROP COLUMN details;
ALTER TABLE templates DROP COLUMN value_rules;
