ALTER TABLE organizations DROP COLUMN is_screened;
DROP TABLE sender_name_claims;
DROP TABLE sender_names;
