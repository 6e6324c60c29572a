-- Whom organizations write to. A phone number is in E.164, a mail address in lower case.
CREATE TABLE contacts (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    first_name      text,
    last_name       text,
    phone           text CHECK (phone LIKE '+%'),
    email           text CHECK (email = lower(email)),
    country_code    text NOT NULL DEFAULT 'GH',
    tags            text[] NOT NULL DEFAULT '{}',
    fcm_token       text,
    attributes      jsonb NOT NULL DEFAULT '{}',
    created_at      timestamptz NOT NULL
);
CREATE INDEX contacts_organization ON contacts (organization_id, id);
CREATE UNIQUE INDEX contacts_phone_key ON contacts (organization_id, phone)
    WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX contacts_email_key ON contacts (organization_id, email)
    WHERE email IS NOT NULL;
CREATE INDEX contacts_fcm_token ON contacts (organization_id, fcm_token)
    WHERE fcm_token IS NOT NULL;
