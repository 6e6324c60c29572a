DROP TRIGGER campaigns_deleted ON campaigns;
DROP FUNCTION forget_campaign_counts();
