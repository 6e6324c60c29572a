DROP TABLE service_keys, unsubscribe_codes, outbound_events;
