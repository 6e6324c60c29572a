DROP FUNCTION suppressions_like(uuid, text, bigint);
DROP FUNCTION newest_suppressions_like(uuid, text, bigint, bigint);
DROP FUNCTION suppressions_after(uuid, bigint, bigint);
DROP TRIGGER suppressions_removed ON suppressions;
DROP TRIGGER suppressions_added ON suppressions;
DROP FUNCTION count_suppressions();
DROP TABLE suppression_blocks;
ALTER TABLE suppression_counts DROP COLUMN newest_id;
DROP INDEX suppressions_search;
DROP FUNCTION suppression_text(text, text, text);

CREATE FUNCTION count_suppression() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO suppression_counts AS list VALUES (NEW.organization_id, 1)
            ON CONFLICT (organization_id) DO UPDATE SET entries = list.entries + 1;
    ELSE
        UPDATE suppression_counts SET entries = entries - 1
            WHERE organization_id = OLD.organization_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER suppressions_counted AFTER INSERT OR DELETE ON suppressions
    FOR EACH ROW EXECUTE FUNCTION count_suppression();
