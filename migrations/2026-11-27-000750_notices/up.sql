-- Mails to people about what concerns their organization. A notice is written in the transaction of its
-- cause, and sent by any instance.
CREATE TABLE notices (
    organization_id uuid        NOT NULL,
    id              uuid        NOT NULL,
    -- Kind of the cause, which decides recipients and text: DECISION, LOW_BALANCE, FAILING_ENDPOINT,
    -- TRAFFIC_ALERT.
    kind            text        NOT NULL,
    -- Key of the cause. A cause that is found again has no second notice.
    key             text        NOT NULL,
    -- What the text says about the cause.
    data            jsonb       NOT NULL,
    status          text        NOT NULL DEFAULT 'PENDING'
                    CHECK (status IN ('PENDING', 'SENT', 'GIVEN_UP')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    -- Time of the next attempt. An attempt moves it ahead, in case that its instance dies.
    due_at          timestamptz NOT NULL DEFAULT now(),
    attempts        integer     NOT NULL DEFAULT 0,
    -- Time at which it was sent or given up.
    ended_at        timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, key),
    CHECK ((status = 'PENDING') = (ended_at IS NULL))
);
CREATE INDEX notices_due ON notices (due_at) WHERE ended_at IS NULL;
-- The purge.
CREATE INDEX notices_ended ON notices (ended_at) WHERE ended_at IS NOT NULL;
COMMENT ON TABLE notices IS 'tenant';

-- What the former marks say is not mailed yet. Low balances and failing endpoints that are not noted yet
-- are found by the statements that look for them.
INSERT INTO notices (organization_id, id, kind, key, data)
SELECT organization_id, uuid_v7_in(now(), organization_id), 'DECISION', 'approval-' || id,
    jsonb_build_object('requestedBy', requested_by, 'kind', kind, 'name', name, 'verdict', verdict,
        'comment', comment)
FROM approvals WHERE tell_at IS NOT NULL AND verdict IS NOT NULL;

INSERT INTO notices (organization_id, id, kind, key, data)
SELECT organization_id, uuid_v7_in(now(), organization_id), 'TRAFFIC_ALERT',
    'traffic-' || CASE WHEN stopped_until IS NULL THEN 'notice' ELSE 'stop' END || '-' || id,
    jsonb_build_object('id', id, 'operatorRange', operator_range, 'foundAt', found_at,
        'stoppedUntil', stopped_until, 'codes', codes, 'delivered', delivered,
        'normalCodes', normal_codes, 'normalDelivered', normal_delivered,
        'othersCodes', others_codes, 'othersDelivered', others_delivered,
        'othersNormalCodes', others_normal_codes, 'othersNormalDelivered', others_normal_delivered,
        'otherOrganizations', other_organizations)
FROM traffic_alerts WHERE NOT is_told;

-- The former marks, with their indexes. No version that reads them has been released.
ALTER TABLE approvals DROP COLUMN tell_at;
ALTER TABLE traffic_alerts DROP COLUMN is_told;
