//! Campaigns: one text to many contacts.

mod drafts;
mod preview;
mod refusals;

use domain::messaging::message::CampaignId;
use std::sync::Arc;

use domain::{
    audience::{segment::Segment, unsubscribe},
    content::{
        approval::Approval,
        template::{Template, TemplateStatus, TemplateText},
    },
    identity::{caller::Caller, permission::Permission, user::User},
    outreach::campaign::{
        Campaign, CampaignAction, CampaignContent, CampaignCounts, CampaignProgress,
        CampaignRequest, CampaignStatus, Confirmation, PausedReason,
    },
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::{
        contacts::ContactRepository,
        segments::{AudienceRepository, SegmentRepository},
        unsubscribes::UnsubscribeLinks,
    },
    content::templates::TemplateRepository,
    outreach::campaigns::{Acted, CampaignRepository, CampaignWakeup, Inserted},
    shared::{
        clock::Clock,
        signals::{Change, ChangeBroadcast},
    },
};

pub use self::refusals::{
    SANDBOX_KEY_REQUIRED, approval_required, campaign_limit_reached, segment_not_found,
    unfit_campaign_status,
};
pub(crate) use self::refusals::{check_mode, check_sending_mode};
use crate::{
    Error,
    content::templates::CONTENT_CHANGED,
    messaging::messages::{template_not_approved, template_not_found},
    money::prices::Prices,
    providers::provider_registry::Providers,
    shared::{
        bounds::{Bounds, OF_APPROVALS},
        digest::Fingerprint,
    },
};

/// Number of tries of a change that concurrent changes overtake.
const ATTEMPTS: usize = 3;

/// Operations on campaigns.
#[derive(Clone)]
pub struct Campaigns {
    deps: Arc<CampaignsDeps>,
}

/// Dependencies of [`Campaigns`].
pub struct CampaignsDeps {
    /// Store of campaigns.
    pub campaigns: Arc<dyn CampaignRepository>,
    /// Store of templates.
    pub templates: Arc<dyn TemplateRepository>,
    /// Store of segments.
    pub segments: Arc<dyn SegmentRepository>,
    /// Store of contacts, for their number.
    pub contacts: Arc<dyn ContactRepository>,
    /// Contacts of a segment, for previews.
    pub audience: Arc<dyn AudienceRepository>,
    /// Providers that carry messages.
    pub providers: Arc<Providers>,
    /// Prices of messages.
    pub prices: Prices,
    /// Unsubscribe links, for previews.
    pub links: Arc<dyn UnsubscribeLinks>,
    /// Wake-up of the workers of this instance when a campaign may continue.
    pub wakeup: Arc<dyn CampaignWakeup>,
    /// Broadcast to all instances that a campaign is held or continues.
    pub change_broadcaster: Arc<dyn ChangeBroadcast>,
    /// Bounds on the number of campaigns that wait for approval.
    pub bounds: Bounds,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl Campaigns {
    /// Creates the operations from their dependencies.
    pub fn new(deps: CampaignsDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Returns a page of the organization's campaigns, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        page: Page,
    ) -> Result<Paged<CampaignProgress>, Error> {
        self.page_of(caller, None, page).await
    }

    /// Returns a page of the organization's campaigns, newest first, of `status` only if it is given.
    pub async fn page_of(
        &self,
        caller: &Caller,
        status: Option<CampaignStatus>,
        page: Page,
    ) -> Result<Paged<CampaignProgress>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.deps.campaigns.page(caller.organization, status, page).await?)
    }

    /// Returns a campaign and its progress.
    pub async fn get(&self, caller: &Caller, id: CampaignId) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::Read)?;
        self.find(caller, id).await
    }

    /// Creates a draft. `faults` holds the faults found so far.
    pub async fn create(
        &self,
        caller: &Caller,
        mut request: CampaignRequest,
        mut faults: Faults,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        request.is_sandbox = faults.take("isSandbox", caller.rehearses(request.is_sandbox));
        let (author, now) = (caller.user()?, self.deps.clock.now());
        let whose = (caller.organization, &*caller.policy);
        let campaign = faults.check(request.campaign(whose, author, now))?;
        self.template_of(&campaign).await?;
        match self.deps.campaigns.insert(&campaign).await? {
            Inserted::Done => Ok(unsent(campaign)),
            Inserted::TooMany => Err(campaign_limit_reached()),
            Inserted::SegmentMissing => Err(missing_segment(&campaign)),
            Inserted::TemplateMissing => Err(missing_template(&campaign)),
        }
    }

    /// Confirms a draft as it is: it starts now, or at its scheduled time. A campaign with a risky
    /// text first waits for approval; the call then fails with [`approval_required`].
    pub async fn send(&self, caller: &Caller, id: CampaignId) -> Result<CampaignProgress, Error> {
        caller.authorize_sending(Permission::RunCampaigns)?;
        let sender = caller.user()?;
        for _ in 0..ATTEMPTS {
            let draft = self.draft(caller, id, "sent").await?;
            check_mode(caller, &draft)?;
            draft.sender_faults(&caller.policy).or(())?;
            let (confirmation, template) = self.confirmation(&draft).await?;
            let now = self.deps.clock.now();
            let author = template.as_ref().and_then(|template| template.created_by);
            let ways_out = &caller.policy.settings.ways_out;
            let approval = confirmation.needed_approval(&draft, sender, ways_out, now);
            let approval = approval.map(|approval| with_author(approval, author));
            if approval.is_some() {
                self.deps.bounds.find_room(caller.organization, &OF_APPROVALS).await?;
            }
            let action = match approval {
                Some(_) => CampaignAction::RequestApproval,
                None => CampaignAction::go(draft.scheduled_at, now),
            };
            let refusal = approval.as_ref().map(|it| approval_required(it.id, it.risk_score));
            let begun = (action, approval);
            let confirmed = self.deps.campaigns.confirm(&draft, &confirmation, begun, now).await?;
            match (confirmed, refusal) {
                (None, _) => {}
                (Some(_), Some(refusal)) => return Err(refusal),
                (Some(campaign), None) => {
                    self.wake_if_sending(&campaign);
                    return Ok(unsent(campaign));
                }
            }
        }
        Err(Error::Conflict(CONTENT_CHANGED))
    }

    /// Pauses a campaign that is being sent. Messages that no provider has yet are held back.
    pub async fn pause(&self, caller: &Caller, id: CampaignId) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        self.act(caller, id, (CampaignAction::Pause(PausedReason::User), "paused")).await
    }

    /// Resumes a paused campaign, whatever the reason of the pause.
    pub async fn resume(&self, caller: &Caller, id: CampaignId) -> Result<CampaignProgress, Error> {
        caller.authorize_sending(Permission::RunCampaigns)?;
        self.act(caller, id, (CampaignAction::Resume, "resumed")).await
    }

    /// Cancels a campaign. Messages that no provider has yet are not sent, and are refunded.
    pub async fn cancel(&self, caller: &Caller, id: CampaignId) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::RunCampaigns)?;
        self.act(caller, id, (CampaignAction::Cancel, "cancelled")).await
    }

    async fn act(
        &self,
        caller: &Caller,
        id: CampaignId,
        (action, done): (CampaignAction, &'static str),
    ) -> Result<CampaignProgress, Error> {
        if caller.is_sandbox() {
            check_mode(caller, &self.find(caller, id).await?.campaign)?;
        }
        match self
            .deps
            .campaigns
            .act(caller.organization, id, action, self.deps.clock.now())
            .await?
        {
            Acted::Done(campaign) => {
                self.deps.change_broadcaster.broadcast(Change::Holds);
                self.wake_if_sending(&campaign);
                self.find(caller, id).await
            }
            Acted::Missing => Err(Error::NotFound("campaign")),
            Acted::Refused(campaign) => {
                Err(unfit_campaign_status(campaign.status, &action.sources(), done))
            }
        }
    }

    fn wake_if_sending(&self, campaign: &Campaign) {
        if campaign.status == CampaignStatus::Sending {
            self.deps.wakeup.wake();
        }
    }

    async fn find(&self, caller: &Caller, id: CampaignId) -> Result<CampaignProgress, Error> {
        let found = self.deps.campaigns.find(caller.organization, id).await?;
        found.ok_or(Error::NotFound("campaign"))
    }

    /// Returns a campaign that is a draft. Fails if it is not one, and so cannot be `done` (such as
    /// changed).
    async fn draft(
        &self,
        caller: &Caller,
        id: CampaignId,
        done: &'static str,
    ) -> Result<Campaign, Error> {
        let campaign = self.find(caller, id).await?.campaign;
        match campaign.status {
            CampaignStatus::Draft => Ok(campaign),
            status => Err(unfit_campaign_status(status, &[CampaignStatus::Draft], done)),
        }
    }

    /// Returns the confirmation of a draft that is sent now, and its template.
    async fn confirmation(
        &self,
        draft: &Campaign,
    ) -> Result<(Confirmation, Option<Template>), Error> {
        let template = self.template_of(draft).await?;
        if let Some(template) = &template
            && template.status != TemplateStatus::Approved
        {
            return Err(template_not_approved(template.id));
        }
        let content = content_of(draft, template.as_ref())?;
        let hash = Fingerprint::of("campaign").campaign(draft, &content).finish();
        let segment = self.segment_of(draft).await?;
        let rules = segment.filter(|segment| segment.is_dynamic).map(|segment| segment.rules);
        Ok((Confirmation { content, hash, rules }, template))
    }

    /// Returns the template of a campaign. Fails if its channel or its text does not fit.
    async fn template_of(&self, campaign: &Campaign) -> Result<Option<Template>, Error> {
        let Some(id) = campaign.template else { return Ok(None) };
        let template = self.deps.templates.find(campaign.organization, id).await?;
        let template = template.ok_or_else(|| template_not_found(id))?;
        if template.content.channel != campaign.channel.into() {
            let fault = format!("is a template of the channel {}", template.content.channel);
            return Err(Faults::field("templateId", fault).into());
        }
        if let Err(fault) = unsubscribe::check_text(campaign.channel, &template.content.body) {
            return Err(Faults::field("templateId", fault).into());
        }
        Ok(Some(template))
    }

    async fn segment_of(&self, campaign: &Campaign) -> Result<Option<Segment>, Error> {
        let Some(id) = campaign.segment else { return Ok(None) };
        let segment = self.deps.segments.look_up(campaign.organization, id).await?;
        segment.map(Some).ok_or_else(|| segment_not_found(id))
    }
}

/// Content of a campaign as it is now.
fn content_of(campaign: &Campaign, template: Option<&Template>) -> Result<CampaignContent, Error> {
    match (template, &campaign.body) {
        (Some(template), _) => Ok(TemplateText::from(template).into()),
        (None, Some(body)) => {
            let own = CampaignContent::own(campaign.subject.clone(), body.clone());
            Ok(CampaignContent { format: campaign.format, ..own })
        }
        (None, None) => {
            let fault = "is required, unless the campaign has a template";
            Err(Faults::field("body", fault).into())
        }
    }
}

/// Adds the author of the template of a campaign to those who may not decide on it.
fn with_author(mut approval: Approval, author: Option<Id<User>>) -> Approval {
    approval.authors.extend(author.filter(|author| !approval.authors.contains(author)));
    approval
}

/// Progress of a campaign of which nothing was sent yet.
fn unsent(campaign: Campaign) -> CampaignProgress {
    CampaignProgress { campaign, counts: CampaignCounts::default() }
}

fn missing_segment(campaign: &Campaign) -> Error {
    campaign.segment.map_or(Error::NotFound("segment"), segment_not_found)
}

fn missing_template(campaign: &Campaign) -> Error {
    campaign.template.map_or(Error::NotFound("template"), template_not_found)
}

#[cfg(test)]
mod tests;
