DROP FUNCTION last_messages(uuid, uuid, text[]);
DROP FUNCTION suppressions_of(uuid, text[], text[]);
DROP FUNCTION segment_members_before(uuid, uuid, uuid, bigint);
DROP FUNCTION suppressed_contacts(uuid, bigint);
DROP FUNCTION contacts_with_tags(text[], bigint);
ALTER TABLE contacts DROP COLUMN updated_at;
