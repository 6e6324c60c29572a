-- Reconciliations after restores of the database, each by the time to which it was restored.
CREATE TABLE reconciliations (
    since                    timestamptz PRIMARY KEY,
    -- End of the service whose writes after that time are lost.
    until                    timestamptz NOT NULL,
    -- Last message that was examined, in the order of organizations and messages; NULL at the beginning.
    position_organization_id uuid,
    position_id              uuid,
    -- Numbers of messages by what was learned about them.
    findings                 jsonb       NOT NULL,
    began_at                 timestamptz NOT NULL DEFAULT now(),
    finished_at              timestamptz,
    CHECK (until > since),
    CHECK ((position_organization_id IS NULL) = (position_id IS NULL))
);
COMMENT ON TABLE reconciliations IS 'instance-wide';
