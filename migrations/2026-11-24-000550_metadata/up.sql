-- Pairs by which the sender's systems know a message; NULL for the messages that have none.
ALTER TABLE delivery_logs ADD COLUMN metadata jsonb;

-- Pairs of all messages of a campaign.
ALTER TABLE campaigns ADD COLUMN metadata jsonb;
-- True if a session rehearses the campaign: its messages go to the sandbox.
ALTER TABLE campaigns ADD COLUMN is_sandbox boolean NOT NULL DEFAULT false;

-- Sender of the messages of an event, and the country of numbers without a calling code; NULL for the
-- usual ones.
ALTER TABLE events ADD COLUMN sender text;
ALTER TABLE events ADD COLUMN country_code text;

-- Returns the data of an event without those of the person. What an organization attached to the message
-- goes too.
CREATE OR REPLACE FUNCTION erased_event(data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT data - 'metadata' || coalesce(jsonb_object_agg(key, '[erased]'), '{}') FROM jsonb_each(data)
    WHERE key IN ('recipient', 'body', 'subject', 'errorMessage', 'phone', 'email')
        AND value <> 'null'
$$;
