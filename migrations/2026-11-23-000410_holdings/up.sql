-- How much the contacts and the texts of templates of an organization take, in bytes: kept, so that no
-- request adds it up.
ALTER TABLE contact_counts ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE template_counts ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

-- Contacts -----------------------------------------------------------------------------------------

-- What the sender can make longer. It is the same whether a value is stored apart or compressed.
CREATE FUNCTION contact_bytes(search_text text, attributes jsonb, tags text[]) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT octet_length(search_text)::bigint + octet_length(attributes::text)
        + octet_length(array_to_string(tags, ' '))
$$;

UPDATE contact_counts SET bytes = own.bytes FROM (
    SELECT organization_id, sum(contact_bytes(search_text, attributes, tags)) AS bytes
    FROM contacts GROUP BY organization_id
) AS own WHERE own.organization_id = contact_counts.organization_id;

-- Follows the triggers that count, which make the row: triggers fire in the order of their names.
CREATE FUNCTION weigh_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    UPDATE contact_counts SET bytes = contact_counts.bytes + sign * own.bytes FROM (
        SELECT organization_id, sum(contact_bytes(search_text, attributes, tags)) AS bytes
        FROM changed GROUP BY organization_id
    ) AS own WHERE contact_counts.organization_id = ANY(ARRAY[own.organization_id]);
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_weighed_added AFTER INSERT ON contacts REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION weigh_contacts();
CREATE TRIGGER contacts_weighed_removed AFTER DELETE ON contacts REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION weigh_contacts();

CREATE FUNCTION weigh_changed_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE contact_counts SET bytes = contact_counts.bytes + own.bytes FROM (
        SELECT organization_id, sum(bytes) AS bytes FROM (
            SELECT organization_id, contact_bytes(search_text, attributes, tags) AS bytes FROM after
            UNION ALL
            SELECT organization_id, -contact_bytes(search_text, attributes, tags) FROM before
        ) AS either GROUP BY organization_id HAVING sum(bytes) <> 0
    ) AS own WHERE contact_counts.organization_id = ANY(ARRAY[own.organization_id]);
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_weighed_changed AFTER UPDATE ON contacts
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION weigh_changed_contacts();

-- Templates ----------------------------------------------------------------------------------------

UPDATE template_counts SET bytes = own.bytes FROM (
    SELECT organization_id, sum(octet_length(body)) AS bytes
    FROM template_versions GROUP BY organization_id
) AS own WHERE own.organization_id = template_counts.organization_id;

-- The text of a version never changes.
CREATE FUNCTION weigh_template_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE template_counts SET bytes = bytes + octet_length(NEW.body)
            WHERE organization_id = NEW.organization_id;
    ELSE
        UPDATE template_counts SET bytes = bytes - octet_length(OLD.body)
            WHERE organization_id = OLD.organization_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER template_versions_weighed AFTER INSERT OR DELETE ON template_versions
    FOR EACH ROW EXECUTE FUNCTION weigh_template_version();

-- Approvals ----------------------------------------------------------------------------------------

-- Those that were withdrawn and still have their text, by when.
CREATE INDEX approvals_withdrawn ON approvals (closed_at)
    WHERE closed_at IS NOT NULL AND verdict IS NULL AND body <> '';
