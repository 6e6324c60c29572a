DROP TABLE traffic_judgements;
DROP TABLE traffic_alerts;
DROP TABLE traffic_days;
DROP TABLE traffic_range_hours;
DROP TABLE traffic_hours;
ALTER TABLE organizations DROP COLUMN velocity_limit, DROP COLUMN allowed_countries;
