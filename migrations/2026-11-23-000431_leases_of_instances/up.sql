-- A lease that nobody else has. Those of an instance begin with the digits of its name, so that others see
-- whose they are when it is dead.
CREATE FUNCTION lease_of(instance text) RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT (coalesce(instance, left(random_digits, 16)) || right(random_digits, 16))::uuid
    FROM (SELECT translate(gen_random_uuid()::text, '-', '') AS random_digits) AS random
$$;
