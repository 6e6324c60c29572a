DROP FUNCTION messages_to_erase(uuid, uuid, uuid, bigint);
DROP FUNCTION is_over(text, timestamptz, timestamptz);
DROP TABLE unfinished_erasures;
DROP TABLE erasure_walks;
DROP TABLE contact_erasures;
DROP FUNCTION contacts_like(uuid, text, bigint);
DROP FUNCTION newest_contacts_like(uuid, text, bigint, bigint);
DROP FUNCTION contacts_after(uuid, bigint, bigint);
DROP TRIGGER contacts_removed ON contacts;
DROP TRIGGER contacts_added ON contacts;
DROP FUNCTION count_contacts();
DROP TABLE contact_blocks;
DROP TABLE contact_counts;
DROP INDEX contacts_search;
ALTER TABLE contacts
    DROP COLUMN search_text,
    DROP COLUMN attributes_folded,
    DROP COLUMN tags_folded,
    DROP COLUMN last_name_folded,
    DROP COLUMN first_name_folded;
