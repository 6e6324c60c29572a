//! Changes, copies and deletions of campaigns that are not being sent.

use chrono::{DateTime, Utc};
use domain::{
    identity::{caller::Caller, permission::Permission},
    messaging::message::CampaignId,
    outreach::campaign::{CampaignProgress, CampaignStatus, CampaignUpdate},
    shared::fault::Faults,
};
use ports::outreach::campaigns::{Acted, Deleted, Inserted, Updated};

use super::{
    ATTEMPTS, Campaigns, campaign_limit_reached, check_mode, missing_segment, missing_template,
    unfit_campaign_status, unsent,
};
use crate::{Error, content::templates::CONTENT_CHANGED};

impl Campaigns {
    /// Changes a draft, or moves a campaign that is scheduled. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        caller: &Caller,
        id: CampaignId,
        update: CampaignUpdate,
        faults: Faults,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let editor = caller.user()?;
        for _ in 0..ATTEMPTS {
            let draft = self.find(caller, id).await?.campaign;
            check_mode(caller, &draft)?;
            match (draft.status, update.moved_to()) {
                (CampaignStatus::Draft, _) => {}
                (CampaignStatus::Scheduled, Some(starts_at)) => {
                    let starts_at = faults.check(starts_at)?;
                    return self.reschedule(caller, id, starts_at).await;
                }
                (status, _) => {
                    let fit = [CampaignStatus::Draft];
                    return Err(unfit_campaign_status(status, &fit, "changed"));
                }
            }
            let now = self.deps.clock.now();
            let edited = update.clone().apply(&draft, &caller.policy, editor, now);
            let edited = faults.clone().check(edited)?;
            self.template_of(&edited).await?;
            match self.deps.campaigns.update(&edited).await? {
                Updated::Done => return Ok(unsent(edited)),
                Updated::Overtaken => {}
                Updated::SegmentMissing => return Err(missing_segment(&edited)),
                Updated::TemplateMissing => return Err(missing_template(&edited)),
            }
        }
        Err(Error::Conflict(CONTENT_CHANGED))
    }

    /// Moves a campaign that is scheduled. A time that has passed means now, so it needs the right to
    /// send.
    async fn reschedule(
        &self,
        caller: &Caller,
        id: CampaignId,
        starts_at: DateTime<Utc>,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize_sending(Permission::RunCampaigns)?;
        let (organization, now) = (caller.organization, self.deps.clock.now());
        match self.deps.campaigns.reschedule(organization, id, starts_at, now).await? {
            Acted::Done(campaign) => Ok(unsent(campaign)),
            Acted::Missing => Err(Error::NotFound("campaign")),
            Acted::Refused(campaign) => {
                let fit = [CampaignStatus::Draft, CampaignStatus::Scheduled];
                Err(unfit_campaign_status(campaign.status, &fit, "moved"))
            }
        }
    }

    /// Deletes a draft.
    pub async fn delete(&self, caller: &Caller, id: CampaignId) -> Result<(), Error> {
        caller.authorize(Permission::WriteAudience)?;
        check_mode(caller, &self.find(caller, id).await?.campaign)?;
        match self.deps.campaigns.delete(caller.organization, id).await? {
            Deleted::Done => Ok(()),
            Deleted::Missing => Err(Error::NotFound("campaign")),
            Deleted::Refused(status) => {
                Err(unfit_campaign_status(status, &[CampaignStatus::Draft], "deleted"))
            }
        }
    }

    /// Creates a draft with the text and the segment of a campaign. With an API key it is of the mode
    /// of the key.
    pub async fn duplicate(
        &self,
        caller: &Caller,
        id: CampaignId,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let author = caller.user()?;
        let campaign = self.find(caller, id).await?.campaign;
        let own_mode = caller.rehearses(Some(campaign.is_sandbox));
        let is_sandbox = own_mode.unwrap_or_else(|other| other.is_of_sandbox);
        let copy = campaign.copy(author, is_sandbox, self.deps.clock.now());
        match self.deps.campaigns.insert(&copy).await? {
            Inserted::Done => Ok(unsent(copy)),
            Inserted::TooMany => Err(campaign_limit_reached()),
            Inserted::SegmentMissing => Err(missing_segment(&copy)),
            Inserted::TemplateMissing => Err(missing_template(&copy)),
        }
    }
}
