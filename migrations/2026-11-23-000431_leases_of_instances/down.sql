DROP FUNCTION lease_of(text);
