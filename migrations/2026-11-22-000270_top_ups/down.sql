DROP TABLE simulated_payments;
DROP TABLE payment_exceptions;
DROP TABLE gateway_events;
DROP TABLE top_ups;
