ALTER TABLE traffic_alerts DROP COLUMN other_organizations;
