-- Invitations that are open: a row is deleted when its link is used or withdrawn, or has expired. An
-- organization has one for each address.
CREATE TABLE invitations (
    organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
    id              uuid NOT NULL,
    email           text NOT NULL,
    role            text NOT NULL CHECK (role IN ('TENANT_OWNER', 'TENANT_ADMIN',
                        'CAMPAIGN_MANAGER', 'COMPLIANCE_REVIEWER', 'DEVELOPER', 'VIEWER')),
    -- SHA-256 of the mailed token, which names the organization.
    token_hash      bytea NOT NULL,
    -- Member whose right to invite is looked up when the link is used.
    invited_by      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX invitations_email ON invitations (organization_id, lower(email));
CREATE UNIQUE INDEX invitations_token ON invitations (organization_id, token_hash);
CREATE INDEX invitations_expiry ON invitations (expires_at);
COMMENT ON TABLE invitations IS 'global';

-- Number of mails with invitations: from an organization, by its identifier, or to an address, in lower
-- case.
CREATE TABLE invitation_mails (
    party        text PRIMARY KEY,
    mails        integer NOT NULL,
    window_start timestamptz NOT NULL
);
CREATE INDEX invitation_mails_window ON invitation_mails (window_start);
COMMENT ON TABLE invitation_mails IS 'global';
