-- Sending windows --------------------------------------------------------------------------------

-- The hours in which messages of a category may go to a country. Where none is active they may always
-- go.
CREATE TABLE sending_windows (
    id                 uuid PRIMARY KEY,
    country_code       text        NOT NULL,
    category           text        NOT NULL CHECK (category NOT IN ('OTP', 'ALERT')),
    -- The days on which it opens.
    weekdays           text[]      NOT NULL CHECK (cardinality(weekdays) > 0),
    -- It closes on the next day if that is not after it opens.
    opens_minute       smallint    NOT NULL CHECK (opens_minute BETWEEN 0 AND 1439),
    closes_minute      smallint    NOT NULL CHECK (closes_minute BETWEEN 0 AND 1440),
    -- How far the country's clocks are ahead of UTC.
    utc_offset_minutes smallint    NOT NULL,
    source             text        NOT NULL,
    is_active          boolean     NOT NULL,
    created_at         timestamptz NOT NULL,
    CHECK (opens_minute <> closes_minute)
);
COMMENT ON TABLE sending_windows IS 'global';

-- An example. What is published about Ghana is contradictory, so it is for whoever runs the service to
-- decide.
INSERT INTO sending_windows VALUES (
    '019aaae6-0000-7000-8000-0000000000e1', 'GH', 'MARKETING',
    '{MONDAY,TUESDAY,WEDNESDAY,THURSDAY,FRIDAY,SATURDAY}', 480, 1140, 0,
    'Example. Telerivet (20 January 2026): promotional SMS in Ghana from 8:00 to 19:00, Monday to '
        'Saturday; https://www.telerivet.com/blog/ghana-sms-compliance-nca-sender-id-registration-and-act-843. '
        'Other sources name other hours: ask the National Communications Authority.',
    false, '2026-11-22T00:00:00Z');

-- Messages that may not go yet -------------------------------------------------------------------

-- When a message could go first, if not at once: it is worth sending for a time that counts from then.
ALTER TABLE delivery_logs ADD COLUMN valid_from timestamptz;

-- The campaign for which a job waits that nobody is to look at: for ever, if that is paused, or until
-- its quiet hours end. Cancelled, it ends the wait.
ALTER TABLE delivery_jobs ADD COLUMN held_by uuid;
CREATE INDEX delivery_jobs_held ON delivery_jobs (organization_id, held_by, due_at)
    WHERE held_by IS NOT NULL;

-- Whether a message is final, or nobody tries it or waits for its report any more. One that is held back
-- may be older than it is worth: a pause ends after thirty days.
CREATE OR REPLACE FUNCTION is_over(status text, expires_at timestamptz, created_at timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT status IN ('DELIVERED', 'FAILED')
        OR coalesce(expires_at, created_at)
            < now() - CASE status WHEN 'QUEUED' THEN interval '40 days' ELSE interval '4 days' END
$$;
