//! Campaigns: one text to many contacts.

mod preview;
mod refusals;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    audience::{segment::Segment, unsubscribe},
    content::{
        approval::Approval,
        template::{Template, TemplateStatus, TemplateText},
    },
    identity::{caller::Caller, permission::Permission, user::User},
    outreach::campaign::{
        Campaign, CampaignAction, CampaignContent, CampaignCounts, CampaignProgress,
        CampaignRequest, CampaignStatus, CampaignUpdate, Confirmation, PausedReason,
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
    outreach::campaigns::{Acted, CampaignRepository, CampaignWakeup, Inserted, Updated},
    shared::{
        clock::Clock,
        signals::{Change, ChangeBroadcast},
    },
};

pub use self::refusals::{
    approval_required, campaign_limit_reached, segment_not_found, unfit_campaign_status,
};
use crate::{
    Error,
    content::templates::CONTENT_CHANGED,
    messaging::messages::{template_not_approved, template_not_found},
    money::prices::Prices,
    platform::bounds::{Bounds, OF_APPROVALS},
    providers::provider_registry::Providers,
    shared::{change_broadcaster::ChangeBroadcaster, digest::Fingerprint},
};

/// How often something is tried that others were faster than.
const ATTEMPTS: usize = 3;

/// Operations on campaigns.
#[derive(Clone)]
pub struct Campaigns {
    repository: Arc<dyn CampaignRepository>,
    templates: Arc<dyn TemplateRepository>,
    segments: Arc<dyn SegmentRepository>,
    contacts: Arc<dyn ContactRepository>,
    audience: Arc<dyn AudienceRepository>,
    providers: Arc<Providers>,
    prices: Prices,
    wakeup: Option<Arc<dyn CampaignWakeup>>,
    links: Option<Arc<dyn UnsubscribeLinks>>,
    change_broadcaster: ChangeBroadcaster,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

/// What [`Campaigns`] works with.
pub struct CampaignsDeps {
    /// Where campaigns are kept.
    pub campaigns: Arc<dyn CampaignRepository>,
    /// Where templates are read.
    pub templates: Arc<dyn TemplateRepository>,
    /// Where segments are read.
    pub segments: Arc<dyn SegmentRepository>,
    /// Where contacts are counted.
    pub contacts: Arc<dyn ContactRepository>,
    /// Whom a preview looks at.
    pub audience: Arc<dyn AudienceRepository>,
    /// Who carries messages.
    pub providers: Arc<Providers>,
    /// What messages cost.
    pub prices: Prices,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
}

impl Campaigns {
    /// Campaigns with these deps.
    pub fn new(deps: CampaignsDeps) -> Self {
        Self {
            repository: deps.campaigns,
            templates: deps.templates,
            segments: deps.segments,
            contacts: deps.contacts,
            audience: deps.audience,
            providers: deps.providers,
            prices: deps.prices,
            wakeup: None,
            links: None,
            change_broadcaster: ChangeBroadcaster::default(),
            bounds: Bounds::default(),
            clock: deps.clock,
        }
    }

    /// Tells workers of this instance at once that a campaign may go on. Without that they find it
    /// when they look the next time.
    #[must_use]
    pub fn waking(self, wakeup: Arc<dyn CampaignWakeup>) -> Self {
        Self { wakeup: Some(wakeup), ..self }
    }

    /// Tells all instances at once that a campaign is held, or goes on. Without that they find it by
    /// themselves.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
    }

    /// Shows links by which contacts unsubscribe in previews. Without that they have none.
    #[must_use]
    pub fn linking(self, links: Arc<dyn UnsubscribeLinks>) -> Self {
        Self { links: Some(links), ..self }
    }

    /// The same campaigns, of which no more wait for approval than `bounds` let them.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// A page of the organization's campaigns, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        page: Page,
    ) -> Result<Paged<CampaignProgress>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.page(caller.organization, page).await?)
    }

    /// One campaign, and how far it has come.
    pub async fn get(&self, caller: &Caller, id: Id<Campaign>) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::Read)?;
        self.find(caller, id).await
    }

    /// Makes a draft. `faults` is what is already known to be wrong.
    pub async fn create(
        &self,
        caller: &Caller,
        request: CampaignRequest,
        faults: Faults,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let (author, now) = (caller.user()?, self.clock.now());
        let whose = (caller.organization, &*caller.policy);
        let campaign = faults.check(request.campaign(whose, author, now))?;
        self.template_of(&campaign).await?;
        match self.repository.insert(&campaign).await? {
            Inserted::Done => Ok(unsent(campaign)),
            Inserted::TooMany => Err(campaign_limit_reached()),
            Inserted::SegmentMissing => Err(missing_segment(&campaign)),
        }
    }

    /// Changes a draft. `faults` is what is already known to be wrong.
    pub async fn update(
        &self,
        caller: &Caller,
        id: Id<Campaign>,
        update: CampaignUpdate,
        faults: Faults,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let editor = caller.user()?;
        for _ in 0..ATTEMPTS {
            let draft = self.draft(caller, id, "changed").await?;
            let now = self.clock.now();
            let edited = update.clone().apply(&draft, &caller.policy, editor, now);
            let edited = faults.clone().check(edited)?;
            self.template_of(&edited).await?;
            match self.repository.update(&edited).await? {
                Updated::Done => return Ok(unsent(edited)),
                Updated::Overtaken => {}
                Updated::SegmentMissing => return Err(missing_segment(&edited)),
            }
        }
        Err(Error::Conflict(CONTENT_CHANGED))
    }

    /// Confirms a draft as it is: it starts now, or at its time. If its text is risky, it waits for
    /// approval first, and the answer is a refusal that says so.
    pub async fn send(&self, caller: &Caller, id: Id<Campaign>) -> Result<CampaignProgress, Error> {
        caller.authorize_sending(Permission::RunCampaigns)?;
        let sender = caller.user()?;
        for _ in 0..ATTEMPTS {
            let draft = self.draft(caller, id, "sent").await?;
            draft.sender_faults(&caller.policy).or(())?;
            let (confirmation, template) = self.confirmation(&draft).await?;
            let now = self.clock.now();
            let approval = needed_approval(&draft, &confirmation, template.as_ref(), (sender, now));
            if approval.is_some() {
                self.bounds.find_room(caller.organization, &OF_APPROVALS).await?;
            }
            let action = match approval {
                Some(_) => CampaignAction::RequestApproval,
                None => CampaignAction::go(draft.scheduled_at, now),
            };
            let refusal = approval.as_ref().map(|it| approval_required(it.id, it.risk_score));
            let begun = (action, approval);
            let confirmed = self.repository.confirm(&draft, &confirmation, begun, now).await?;
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

    /// Stops a campaign that is being sent. Messages that no provider has yet are held back.
    pub async fn pause(
        &self,
        caller: &Caller,
        id: Id<Campaign>,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::WriteAudience)?;
        self.act(caller, id, (CampaignAction::Pause(PausedReason::User), "paused")).await
    }

    /// Lets a campaign go on that is paused, for whatever reason.
    pub async fn resume(
        &self,
        caller: &Caller,
        id: Id<Campaign>,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize_sending(Permission::RunCampaigns)?;
        self.act(caller, id, (CampaignAction::Resume, "resumed")).await
    }

    /// Ends a campaign. Messages that no provider has yet are not sent, and are paid back.
    pub async fn cancel(
        &self,
        caller: &Caller,
        id: Id<Campaign>,
    ) -> Result<CampaignProgress, Error> {
        caller.authorize(Permission::RunCampaigns)?;
        self.act(caller, id, (CampaignAction::Cancel, "cancelled")).await
    }

    async fn act(
        &self,
        caller: &Caller,
        id: Id<Campaign>,
        (action, done): (CampaignAction, &'static str),
    ) -> Result<CampaignProgress, Error> {
        match self.repository.act(caller.organization, id, action, self.clock.now()).await? {
            Acted::Done(campaign) => {
                self.change_broadcaster.broadcast(Change::Holds);
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
        if let Some(wakeup) = &self.wakeup
            && campaign.status == CampaignStatus::Sending
        {
            wakeup.wake();
        }
    }

    async fn find(&self, caller: &Caller, id: Id<Campaign>) -> Result<CampaignProgress, Error> {
        let found = self.repository.find(caller.organization, id).await?;
        found.ok_or(Error::NotFound("campaign"))
    }

    /// A campaign that is a draft, and can be `done` to.
    async fn draft(
        &self,
        caller: &Caller,
        id: Id<Campaign>,
        done: &'static str,
    ) -> Result<Campaign, Error> {
        let campaign = self.find(caller, id).await?.campaign;
        match campaign.status {
            CampaignStatus::Draft => Ok(campaign),
            status => Err(unfit_campaign_status(status, &[CampaignStatus::Draft], done)),
        }
    }

    /// What is confirmed if a draft is sent now, and its template.
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

    /// The template of a campaign, which is for its channel.
    async fn template_of(&self, campaign: &Campaign) -> Result<Option<Template>, Error> {
        let Some(id) = campaign.template else { return Ok(None) };
        let template = self.templates.find(campaign.organization, id).await?;
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
        let segment = self.segments.look_up(campaign.organization, id).await?;
        segment.map(Some).ok_or_else(|| segment_not_found(id))
    }
}

/// What a campaign says now.
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

/// The approval that a campaign needs. Who wrote its template does not decide about it either.
fn needed_approval(
    draft: &Campaign,
    confirmation: &Confirmation,
    template: Option<&Template>,
    (sender, now): (Id<User>, DateTime<Utc>),
) -> Option<Approval> {
    let mut approval = confirmation.needed_approval(draft, sender, now)?;
    let author = template.and_then(|template| template.created_by);
    approval.authors.extend(author.filter(|author| !approval.authors.contains(author)));
    Some(approval)
}

/// A campaign of which nothing was sent yet.
fn unsent(campaign: Campaign) -> CampaignProgress {
    CampaignProgress { campaign, counts: CampaignCounts::default() }
}

fn missing_segment(campaign: &Campaign) -> Error {
    campaign.segment.map_or(Error::NotFound("segment"), segment_not_found)
}

#[cfg(test)]
mod tests;
