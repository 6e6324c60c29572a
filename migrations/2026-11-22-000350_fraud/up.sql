-- Where an organization writes, and how many messages it lets go to a thousand numbers within an hour;
-- null is what holds for everybody.
ALTER TABLE organizations
    ADD COLUMN allowed_countries text[] CHECK (cardinality(allowed_countries) > 0),
    ADD COLUMN velocity_limit integer CHECK (velocity_limit > 0);

-- Codes whose end is known, by the hour in which it became so.
CREATE TABLE traffic_hours (
    organization_id uuid        NOT NULL,
    -- The first five digits of the numbers.
    operator_range  integer     NOT NULL,
    hour            timestamptz NOT NULL,
    codes           bigint      NOT NULL,
    delivered       bigint      NOT NULL,
    PRIMARY KEY (organization_id, operator_range, hour)
);
COMMENT ON TABLE traffic_hours IS 'tenant';
CREATE INDEX traffic_hours_by_hour ON traffic_hours (hour);

-- The same of all organizations together.
CREATE TABLE traffic_range_hours (
    operator_range integer     NOT NULL,
    hour           timestamptz NOT NULL,
    codes          bigint      NOT NULL,
    delivered      bigint      NOT NULL,
    PRIMARY KEY (operator_range, hour)
);
COMMENT ON TABLE traffic_range_hours IS 'instance-wide';
CREATE INDEX traffic_range_hours_by_hour ON traffic_range_hours (hour);

-- Messages to numbers that arrived, by the day of UTC: where an organization usually sends.
CREATE TABLE traffic_days (
    organization_id uuid   NOT NULL,
    country_code    text   NOT NULL,
    day             date   NOT NULL,
    arrivals        bigint NOT NULL,
    PRIMARY KEY (organization_id, country_code, day)
);
COMMENT ON TABLE traffic_days IS 'tenant';
CREATE INDEX traffic_days_by_day ON traffic_days (day);

-- Far fewer codes of an organization arrived in a range than usual.
CREATE TABLE traffic_alerts (
    organization_id         uuid        NOT NULL,
    id                      uuid        NOT NULL,
    operator_range          integer     NOT NULL,
    -- The day of UTC on which it was found: there is one alert for each.
    day                     date        NOT NULL,
    found_at                timestamptz NOT NULL,
    codes                   bigint      NOT NULL,
    delivered               bigint      NOT NULL,
    normal_codes            bigint      NOT NULL,
    normal_delivered        bigint      NOT NULL,
    others_codes            bigint      NOT NULL,
    others_delivered        bigint      NOT NULL,
    others_normal_codes     bigint      NOT NULL,
    others_normal_delivered bigint      NOT NULL,
    -- Until when codes to the range are stopped; null if they never were.
    stopped_until           timestamptz,
    lifted_at               timestamptz,
    lifted_by               uuid,
    -- Whether the owners know of it as it is.
    is_told                 boolean     NOT NULL DEFAULT false,
    -- When something was stopped or lifted last.
    changed_at              timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, operator_range, day)
);
COMMENT ON TABLE traffic_alerts IS 'tenant';
CREATE INDEX traffic_alerts_untold ON traffic_alerts (found_at) WHERE NOT is_told;
CREATE INDEX traffic_alerts_found ON traffic_alerts (found_at);
CREATE INDEX traffic_alerts_changed ON traffic_alerts (changed_at);

-- When the counts were judged last, whoever did it.
CREATE TABLE traffic_judgements (
    only_row  boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    judged_at timestamptz NOT NULL
);
COMMENT ON TABLE traffic_judgements IS 'instance-wide';
INSERT INTO traffic_judgements (judged_at) VALUES ('-infinity');
