-- What is counted of a campaign goes when the campaign goes.
CREATE FUNCTION forget_campaign_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM campaign_counts
    WHERE organization_id = OLD.organization_id AND campaign_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER campaigns_deleted AFTER DELETE ON campaigns
    FOR EACH ROW EXECUTE FUNCTION forget_campaign_counts();
