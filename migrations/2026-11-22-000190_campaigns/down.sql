DROP TABLE campaign_totals, campaigns;
DROP FUNCTION count_campaign();
DROP FUNCTION campaign_has_ended(text);
