-- Entries whose channel uses none of their addresses: they hold for the addresses that contacts with these
-- have on it. Acceptances look here before they look for contacts, so the table is apart and small: an index
-- on `suppressions` would be one of several that find an organization, and a plan that was made while the
-- list was empty may read all of a long list by another one.
CREATE TABLE crossing_suppressions (
    organization_id uuid NOT NULL,
    suppression_id  uuid NOT NULL,
    PRIMARY KEY (organization_id, suppression_id),
    FOREIGN KEY (organization_id, suppression_id) REFERENCES suppressions ON DELETE CASCADE
);
COMMENT ON TABLE crossing_suppressions IS 'tenant';

CREATE FUNCTION note_crossing_suppression() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO crossing_suppressions (organization_id, suppression_id)
        VALUES (NEW.organization_id, NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER suppressions_crossing AFTER INSERT ON suppressions FOR EACH ROW
    WHEN (NEW.channel = 'EMAIL' AND NEW.email IS NULL
        OR NEW.channel IN ('SMS', 'WHATSAPP', 'VOICE') AND NEW.phone IS NULL)
    EXECUTE FUNCTION note_crossing_suppression();
