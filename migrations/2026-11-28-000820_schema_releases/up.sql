-- Releases whose migrations this database has. A program that does not know the newest of them reads here
-- if it can use the schema all the same. A release with migrations adds its row.
CREATE TABLE schema_releases (
    number      integer PRIMARY KEY,
    name        text    NOT NULL UNIQUE,
    -- Smallest number of a release that can use the schema: the release before, or this one if its
    -- migrations leave the release before without what it needs.
    usable_from integer NOT NULL,
    CHECK (usable_from BETWEEN number - 1 AND number)
);
COMMENT ON TABLE schema_releases IS 'instance-wide';
INSERT INTO schema_releases (number, name, usable_from) VALUES (1, '0.1.0', 1);
