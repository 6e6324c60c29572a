-- What organizations could do better, as it was found when somebody asked last. Names no recipient.
CREATE TABLE recommendations (
    organization_id uuid        PRIMARY KEY,
    items           jsonb       NOT NULL,
    evaluated_at    timestamptz,
    -- When it is to be found out anew; while somebody is about it, when another one may.
    due_at          timestamptz NOT NULL
);
COMMENT ON TABLE recommendations IS 'tenant';
