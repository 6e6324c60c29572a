-- Suppression lists ------------------------------------------------------------------------------

-- An organization has one entry of each source for the same; of those that came in twice at the same
-- moment the older one stays.
DELETE FROM suppressions twice USING suppressions first
    WHERE first.organization_id = twice.organization_id AND first.id < twice.id
        AND first.phone IS NOT DISTINCT FROM twice.phone
        AND lower(first.email) IS NOT DISTINCT FROM lower(twice.email)
        AND first.channel IS NOT DISTINCT FROM twice.channel
        AND first.category IS NOT DISTINCT FROM twice.category AND first.source = twice.source;
CREATE UNIQUE INDEX suppressions_same ON suppressions (organization_id, coalesce(phone, ''),
    lower(coalesce(email, '')), coalesce(channel, ''), coalesce(category, ''), source);
ALTER TABLE suppressions
    DROP CONSTRAINT suppressions_pkey,
    ADD PRIMARY KEY (organization_id, id);

-- How many entries each list has: kept, so that no request counts them.
CREATE TABLE suppression_counts (
    organization_id uuid PRIMARY KEY REFERENCES organizations,
    entries         bigint NOT NULL
);
INSERT INTO suppression_counts SELECT organization_id, count(*) FROM suppressions GROUP BY 1;

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
