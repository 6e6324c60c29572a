//! Recipients of campaigns: lists, exports, and the repetition of failed messages.

use std::sync::Arc;

use chrono::TimeDelta;
use derive_more::Constructor;
use domain::{
    identity::{
        actor::RequestId, caller::Caller, organization::Organization, permission::Permission,
    },
    messaging::{
        delivery_log::{LogRequest, SEARCHED},
        message::CampaignId,
        resend::ResendTask,
    },
    outreach::campaign::{
        Campaign, CampaignRecipient, CampaignStatus, RecipientFilter, RecipientPlace, RecipientsOf,
    },
    shared::{fault::Faults, id::Id},
};
use ports::outreach::{
    campaign_recipients::{CampaignRecipientRepository, RecipientPart},
    campaigns::CampaignRepository,
};

use super::campaigns::{check_sending_mode, unfit_campaign_status};
use crate::{
    Error,
    messaging::resends::{ResendForecast, ResendMessages, Resends},
};

/// Number of recipients of an export read at a time.
const EXPORT_STEP: usize = 500;
/// Time by which the clocks of two instances may differ.
const CLOCKS: TimeDelta = TimeDelta::minutes(5);
/// States of campaigns that may have messages.
const BEGUN: [CampaignStatus; 5] = [
    CampaignStatus::Sending,
    CampaignStatus::Paused,
    CampaignStatus::Completed,
    CampaignStatus::Cancelled,
    CampaignStatus::Failed,
];

/// Operations on the recipients of campaigns.
#[derive(Clone, Constructor)]
pub struct CampaignRecipients {
    recipients: Arc<dyn CampaignRecipientRepository>,
    campaigns: Arc<dyn CampaignRepository>,
    resends: Resends,
}

/// Command that counts or sends again the failed messages of a campaign.
#[derive(Debug, Clone, Default)]
pub struct ResendCampaign {
    /// True if nothing is to be sent.
    pub is_dry_run: bool,
    /// Faults found in the request so far.
    pub faults: Faults,
}

impl CampaignRecipients {
    /// Returns up to `limit` recipients of a campaign after a place, or from the beginning.
    pub async fn part(
        &self,
        caller: &Caller,
        id: CampaignId,
        filter: RecipientFilter,
        after: Option<RecipientPlace>,
        limit: u32,
    ) -> Result<RecipientPart, Error> {
        caller.authorize(Permission::Read)?;
        let of = recipients_of(&self.find_shown(caller, id).await?);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.recipients.recipients(caller.organization, of, filter, after, limit).await?)
    }

    /// Begins an export of the recipients of a campaign.
    pub async fn export(
        &self,
        caller: &Caller,
        id: CampaignId,
        filter: RecipientFilter,
    ) -> Result<RecipientExport, Error> {
        caller.authorize(Permission::Read)?;
        let of = recipients_of(&self.find_shown(caller, id).await?);
        Ok(RecipientExport {
            repository: Arc::clone(&self.recipients),
            organization: caller.organization,
            of,
            filter,
            after: None,
            is_over: false,
        })
    }

    /// Counts the failed messages of a campaign that would be sent again.
    pub async fn forecast_resend(
        &self,
        caller: &Caller,
        id: CampaignId,
        command: ResendCampaign,
    ) -> Result<ResendForecast, Error> {
        let resend = self.resend(caller, id, command).await?;
        self.resends.authorized_forecast(caller, resend).await
    }

    /// Sends the failed messages of a campaign again in the background, each of them once.
    pub async fn begin_resend(
        &self,
        caller: &Caller,
        id: CampaignId,
        command: ResendCampaign,
        request: RequestId,
    ) -> Result<ResendTask, Error> {
        let resend = self.resend(caller, id, command).await?;
        self.resends.authorized_begin(caller, resend, request).await
    }

    /// Returns the command that sends the failed messages of a campaign again. What nobody was to get is
    /// counted, and not sent.
    async fn resend(
        &self,
        caller: &Caller,
        id: CampaignId,
        command: ResendCampaign,
    ) -> Result<ResendMessages, Error> {
        caller.authorize_sending(Permission::RunCampaigns)?;
        command.faults.clone().or(())?;
        let campaign = self.find(caller, id).await?;
        check_sending_mode(caller, &campaign)?;
        if !BEGUN.contains(&campaign.status) {
            return Err(unfit_campaign_status(campaign.status, &BEGUN, "sent again"));
        }
        // One that was just sent, and has not started, has no messages yet.
        let from = campaign.started_at.unwrap_or(campaign.updated_at) - CLOCKS;
        let latest = from + SEARCHED;
        let request = LogRequest {
            from: Some(from),
            to: campaign.completed_at.map(|ended| latest.min(ended + CLOCKS)),
            campaign: Some(campaign.id),
            is_sandbox: Some(campaign.is_sandbox),
            ..LogRequest::default()
        };
        Ok(ResendMessages { request, is_dry_run: command.is_dry_run, faults: command.faults })
    }

    /// Returns a campaign whose recipients the caller may see: a sandbox key sees those of rehearsals only.
    async fn find_shown(&self, caller: &Caller, id: CampaignId) -> Result<Campaign, Error> {
        let campaign = self.find(caller, id).await?;
        if caller.is_sandbox() && !campaign.is_sandbox {
            return Err(Error::NotFound("campaign"));
        }
        Ok(campaign)
    }

    async fn find(&self, caller: &Caller, id: CampaignId) -> Result<Campaign, Error> {
        let found = self.campaigns.find(caller.organization, id).await?;
        Ok(found.ok_or(Error::NotFound("campaign"))?.campaign)
    }
}

/// Messages of a campaign are accepted after it was created.
fn recipients_of(campaign: &Campaign) -> RecipientsOf {
    RecipientsOf { campaign: campaign.id, since: campaign.created_at - CLOCKS }
}

/// Export in progress. It holds one part of the recipients at a time, and no connection between parts.
pub struct RecipientExport {
    repository: Arc<dyn CampaignRecipientRepository>,
    organization: Id<Organization>,
    of: RecipientsOf,
    filter: RecipientFilter,
    after: Option<RecipientPlace>,
    is_over: bool,
}

impl RecipientExport {
    /// Returns the next part; an empty one is the end.
    pub async fn next(&mut self) -> Result<Vec<CampaignRecipient>, Error> {
        while !self.is_over {
            let (of, filter, after) = (self.of, self.filter, self.after);
            let RecipientPart { recipients, next } = self
                .repository
                .recipients(self.organization, of, filter, after, EXPORT_STEP)
                .await?;
            self.is_over = next.is_none();
            self.after = next;
            if !recipients.is_empty() {
                return Ok(recipients);
            }
        }
        Ok(Vec::new())
    }
}
