-- How many other organizations sent codes to the range meanwhile: the share of few would tell how one of
-- them fares. Of alerts that are there nobody knows.
ALTER TABLE traffic_alerts ADD COLUMN other_organizations bigint NOT NULL DEFAULT 0;
