-- Page of the payment gateway where it is paid; NULL until the gateway has answered, and for old ones.
ALTER TABLE top_ups ADD COLUMN checkout_url text;
