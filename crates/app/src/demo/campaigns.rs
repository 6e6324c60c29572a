//! Campaigns of the demonstration: one that is done, one that runs, and one that waits for approval.

use std::sync::{Arc, Mutex, PoisonError};

use adapters_postgres::PgIntake;
use async_trait::async_trait;
use domain::{
    audience::segment::{Segment, SegmentName},
    content::approval::Verdict,
    identity::caller::Administrator,
    messaging::{delivery::FailureCode, job::Job, message::CampaignId},
    outreach::campaign::CampaignRequest,
    shared::{channel::Channel, fault::Faults, id::Id, page::Page},
};
use ports::messaging::messages::{FirstWorker, Intake, IntakeError, Receipt, Submission};

use super::{course::Ending, tenant::Tenant, traffic::Traffic};
use crate::service::{PastService, StartError};

/// Campaign that is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    name: &'static str,
    segment: &'static str,
    body: &'static str,
    stage: Stage,
}

/// Stage in which a campaign is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Done,
    Running,
    PendingApproval,
}

/// Campaign that reached everybody.
pub(super) const DONE: Plan = Plan {
    name: "New branch in Kumasi",
    segment: "People in Ashanti",
    body: "Hello {{firstName}}, Adinkra Market opens at Adum in Kumasi on Saturday at 9. \
           Reply STOP to opt out.",
    stage: Stage::Done,
};
/// Campaign of which some messages still wait.
pub(super) const RUNNING: Plan = Plan {
    name: "Weekend in Accra",
    segment: "People in Accra",
    body: "Hello {{firstName}}, this weekend delivery in Accra is free at Adinkra Market. \
           Reply STOP to opt out.",
    stage: Stage::Running,
};
/// Campaign whose text nobody has decided about.
pub(super) const PENDING_APPROVAL: Plan = Plan {
    name: "Raffle for the newsletter",
    segment: "Newsletter",
    body: "Congratulations {{firstName}}! You have won GHS 500 in our raffle. Claim your prize today.",
    stage: Stage::PendingApproval,
};

/// Share of the messages of a running campaign that still wait, in places of ten.
const WAITING: usize = 4;

/// Intake that keeps the jobs of what it accepts, instead of handing them to workers.
struct KeptJobs {
    intake: Arc<PgIntake>,
    jobs: Mutex<Vec<Job>>,
}

impl KeptJobs {
    fn take(&self) -> Vec<Job> {
        std::mem::take(&mut *self.jobs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Intake for KeptJobs {
    async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let submission = Submission { first_worker: FirstWorker::Submitter, ..submission };
        let receipt = self.intake.accept(submission).await?;
        if let Receipt::Accepted(jobs) = &receipt {
            let mut kept = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(jobs.iter().cloned());
        }
        Ok(receipt)
    }
}

/// Makes a campaign of an organization at the time of the clock.
pub(super) async fn make(
    service: &PastService,
    tenant: &Tenant,
    admin: &Administrator,
    traffic: &mut Traffic<'_>,
    plan: &Plan,
) -> Result<(), StartError> {
    let segments = service.api.segments.names(&tenant.caller).await?;
    let request = CampaignRequest {
        name: Some(plan.name.to_owned()),
        channel: Some(Channel::Sms),
        body: Some(plan.body.to_owned()),
        sender: Some(tenant.sender.to_owned()),
        segment: segment(&segments, plan.segment),
        ..CampaignRequest::default()
    };
    let campaigns = &service.api.campaigns;
    let made = campaigns.create(&tenant.caller, request, Faults::default()).await?;
    confirm(service, tenant, admin, (made.campaign.id, plan.stage)).await?;
    if plan.stage == Stage::PendingApproval {
        return Ok(());
    }
    let kept =
        Arc::new(KeptJobs { intake: Arc::clone(&service.core.intake), jobs: Mutex::default() });
    let work = service.campaign_work(Arc::clone(&kept) as _);
    while work.work_once().await? {
        let jobs = kept.take().into_iter().enumerate();
        let endings = jobs.map(|(place, job)| {
            let ending = ending(&job, place, plan.stage);
            (job, ending)
        });
        traffic.conclude(endings.collect(), None).await?;
        // The campaign is complete once its counts say so.
        service.books.post_journal().await?;
    }
    Ok(())
}

fn segment(segments: &[SegmentName], name: &str) -> Option<Id<Segment>> {
    segments.iter().find(|segment| segment.name == name).map(|segment| segment.id)
}

/// Confirms a campaign. If its text needs an approval, it is approved, unless it is to wait for that.
async fn confirm(
    service: &PastService,
    tenant: &Tenant,
    admin: &Administrator,
    (campaign, stage): (CampaignId, Stage),
) -> Result<(), StartError> {
    let is_to_wait = stage == Stage::PendingApproval;
    match service.api.campaigns.send(&tenant.caller, campaign).await {
        Ok(_) if is_to_wait => return Err("a campaign of the demo needs no approval".into()),
        Ok(_) => return Ok(()),
        Err(error) if error.code() != "APPROVAL_REQUIRED" => return Err(error.into()),
        Err(_) if is_to_wait => return Ok(()),
        Err(_) => {}
    }
    let page = Page::new(None, Some(100)).map_err(usecases::Error::from)?;
    let pending = service.api.approvals.pending(admin, page).await?.items;
    let approval = pending.iter().find(|approval| approval.resource == campaign.uuid());
    let approval = approval.ok_or("the approval of a campaign of the demo is missing")?;
    let decision = (Verdict::Approved, None);
    service.api.approvals.decide(admin, approval.id, decision, Faults::default()).await?;
    Ok(())
}

/// Returns the state in which a message of a campaign is left.
fn ending(job: &Job, place: usize, stage: Stage) -> Ending {
    if let Some(refusal) = job.message.refusal() {
        return Ending::Failed(refusal.code);
    }
    match place % 50 {
        7 => Ending::Failed(FailureCode::InvalidRecipient),
        31 => Ending::Failed(FailureCode::Undelivered),
        _ if stage == Stage::Running && place % 10 < WAITING => Ending::Deferred,
        _ => Ending::Delivered,
    }
}
