DROP TABLE segment_members;
DROP TABLE segments;
DROP INDEX contacts_tags;
DROP FUNCTION contact_tag_keys;
