-- What platform administrators decide about organizations -----------------------------------------

-- How much an organization may do: a second, and at once. Without, as much as all others.
ALTER TABLE organizations
    ADD COLUMN live_limit        integer[] CHECK (cardinality(live_limit) = 2),
    ADD COLUMN sandbox_limit     integer[] CHECK (cardinality(sandbox_limit) = 2),
    ADD COLUMN request_limit     integer[] CHECK (cardinality(request_limit) = 2),
    -- Since when it may not send, and why.
    ADD COLUMN suspended_at      timestamptz,
    ADD COLUMN suspension_reason text;
-- Instances ask all the time who is suspended.
CREATE INDEX organizations_suspended ON organizations (id) WHERE suspended_at IS NOT NULL;
CREATE INDEX organizations_name_search ON organizations USING gin (lower(name) gin_trgm_ops);

-- How many organizations there are, without the platform's own.
CREATE TABLE organization_totals (
    id            smallint PRIMARY KEY CHECK (id = 1),
    organizations bigint NOT NULL
);
COMMENT ON TABLE organization_totals IS 'global';
INSERT INTO organization_totals (id, organizations)
    SELECT 1, count(*) FROM organizations WHERE id <> '00000000-0000-7000-8000-000000000000';
CREATE FUNCTION count_organizations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE organization_totals
        SET organizations = organizations + (SELECT count(*) FROM founded) WHERE id = 1;
    RETURN NULL;
END $$;
CREATE TRIGGER organizations_counted AFTER INSERT ON organizations
    REFERENCING NEW TABLE AS founded
    FOR EACH STATEMENT EXECUTE FUNCTION count_organizations();

-- Prices and plans ----------------------------------------------------------------------------------

-- What has changed stays, so that it is known what held when.
ALTER TABLE pricing_rules
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN ended_at   timestamptz;
UPDATE pricing_rules SET ended_at = now() WHERE NOT is_active;
CREATE INDEX pricing_rules_newest ON pricing_rules (created_at, id);
CREATE INDEX pricing_rules_organization ON pricing_rules (organization_id, created_at);

ALTER TABLE plans
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN ended_at   timestamptz;
UPDATE plans SET ended_at = now() WHERE NOT is_active;
ALTER TABLE plans DROP CONSTRAINT plans_name_key;
CREATE UNIQUE INDEX plans_one_each ON plans (name) WHERE is_active;

-- Grows with each change of a price, so that instances hear of it without reading the prices.
CREATE TABLE pricing_version (
    id      smallint PRIMARY KEY CHECK (id = 1),
    version bigint NOT NULL
);
COMMENT ON TABLE pricing_version IS 'global';
INSERT INTO pricing_version (id, version) VALUES (1, 1);
CREATE FUNCTION count_pricing_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pricing_version SET version = version + 1 WHERE id = 1;
    RETURN NULL;
END $$;
CREATE TRIGGER pricing_rules_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON pricing_rules
    FOR EACH STATEMENT EXECUTE FUNCTION count_pricing_change();
