DROP TABLE recovery_codes, second_factors;
ALTER TABLE users DROP COLUMN second_factor_at;
