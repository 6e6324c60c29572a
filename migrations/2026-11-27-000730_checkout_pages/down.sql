ALTER TABLE top_ups DROP COLUMN checkout_url;
