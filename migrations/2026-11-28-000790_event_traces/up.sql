-- Span of the message that an event reports on, as in the header `traceparent`; NULL if it is in no trace
-- that is exported.
ALTER TABLE outbound_events ADD COLUMN trace text;
