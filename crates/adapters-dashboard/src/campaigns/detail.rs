//! `/app/campaigns/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::content::approval::{RequestedApproval, RequestedApprovalFilter};
use domain::identity::permission::Permission;
use domain::outreach::campaign::{
    Campaign, CampaignAction, CampaignContent, CampaignProgress, CampaignStatus, PausedReason,
    RecipientOutcome, RecipientReason,
};
use domain::shared::money::Money;
use usecases::Error;

use super::address;
use super::forecast::LONGEST_TEXT;
use super::wizard::{ShownStep, Step, steps};
use crate::formats::{Formats, beginning};
use crate::frame::{Failure, Frame, Place, Shown, Visit, id_of};
use crate::words::{InWords, Words};

#[derive(Template)]
#[template(path = "campaigns/detail.html")]
struct DetailPage {
    frame: Frame,
    f: Formats,
    href: String,
    segment: String,
    content: Option<CampaignContent>,
    approval: Option<RequestedApproval>,
    counts: Counts,
    cost: Money,
    reasons: Vec<ReasonRow>,
    acts: Acts,
    steps: Vec<ShownStep>,
    next_step: String,
    /// True while the status or the figures change by themselves.
    is_live: bool,
    campaign: Campaign,
}

/// Contacts of a campaign that has started, by what became of them.
struct Counts {
    audience: u64,
    sent: u64,
    delivered: u64,
    skipped: u64,
    failed: u64,
    /// Contacts without an outcome.
    open: u64,
}

/// Contacts that were skipped or not reached for one reason.
struct ReasonRow {
    outcome: Words,
    reason: Words,
    count: u64,
    query: String,
}

/// Acts that the visitor may do to a campaign as it is.
struct Acts {
    change: bool,
    duplicate: bool,
    pause: bool,
    resume: bool,
    cancel: bool,
    reschedule: bool,
    send_again: bool,
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let progress = visit.api().campaigns.get(&visit.caller, id_of(&path)?).await?;
    let campaign = &progress.campaign;
    let acts = Acts::of(&visit, &progress);
    let next_step = Step::next_of(campaign);
    visit.show(&DetailPage {
        frame: visit.frame(Place::Campaigns),
        f: visit.formats(),
        href: address(campaign.id, ""),
        segment: segment(&visit, campaign).await?,
        content: content(&visit, campaign).await?,
        approval: approval(&visit, campaign).await?,
        counts: Counts::of(&progress),
        cost: progress.counts.cost,
        reasons: reasons(&progress),
        steps: if acts.change { steps(Some(campaign), next_step) } else { Vec::new() },
        next_step: address(campaign.id, next_step.page()),
        is_live: campaign.status != CampaignStatus::Draft && !campaign.status.is_final(),
        acts,
        campaign: progress.campaign,
    })
}

impl DetailPage {
    /// Returns the address of the recipients with an outcome, or of all.
    fn recipients(&self, outcome: &str) -> String {
        let list = address(self.campaign.id, "/recipients");
        if outcome.is_empty() { list } else { format!("{list}?outcome={outcome}") }
    }

    /// Returns the address of the messages of the campaign in the log.
    fn messages(&self) -> String {
        format!("/app/messages?campaign={}", self.campaign.id)
    }

    fn open_label(&self) -> &'static str {
        if self.campaign.status.is_final() { "Not sent" } else { "Waiting" }
    }
}

impl Counts {
    fn of(progress: &CampaignProgress) -> Self {
        let (sent, skipped, failed) = (progress.sent(), progress.skipped(), progress.failed());
        let done = sent + skipped + failed;
        let audience = progress.campaign.audience.unwrap_or_default().max(done);
        let delivered = progress.counts.delivered;
        Self { audience, sent, delivered, skipped, failed, open: audience - done }
    }

    fn done(&self) -> u64 {
        self.audience - self.open
    }
}

impl Acts {
    fn of(visit: &Visit, progress: &CampaignProgress) -> Self {
        let status = progress.campaign.status;
        let writes = visit.may(Permission::WriteAudience);
        let runs = visit.may(Permission::RunCampaigns);
        let can = |action| status.after(action).is_some();
        let is_draft = status == CampaignStatus::Draft;
        Self {
            change: writes && is_draft,
            duplicate: writes,
            pause: writes && can(CampaignAction::Pause(PausedReason::User)),
            resume: runs && can(CampaignAction::Resume),
            // A draft is deleted instead.
            cancel: runs && !is_draft && can(CampaignAction::Cancel),
            reschedule: runs && status == CampaignStatus::Scheduled,
            send_again: runs && progress.campaign.started_at.is_some() && progress.failed() > 0,
        }
    }
}

fn reasons(progress: &CampaignProgress) -> Vec<ReasonRow> {
    let row = |reason: RecipientReason, count| {
        let outcome = outcome_of(reason);
        ReasonRow {
            outcome: outcome.words(),
            reason: reason.words(),
            count,
            query: format!("outcome={}&reason={}", outcome.as_str(), reason.as_str()),
        }
    };
    progress.by_reason().into_iter().map(|counted| row(counted.reason, counted.count)).collect()
}

/// Returns the outcome for a contact that was not reached for a reason.
fn outcome_of(reason: RecipientReason) -> RecipientOutcome {
    match reason {
        RecipientReason::NoAddress => RecipientOutcome::Skipped,
        RecipientReason::Failure(code) if code.is_skip() => RecipientOutcome::Skipped,
        RecipientReason::Failure(_) => RecipientOutcome::Failed,
    }
}

/// Returns the name of the segment of a campaign; `""` for all contacts, or if it was deleted.
async fn segment(visit: &Visit, campaign: &Campaign) -> Result<String, Failure> {
    let Some(id) = campaign.segment else { return Ok(String::new()) };
    let names = visit.api().segments.names(&visit.caller).await?;
    let known = names.into_iter().find(|segment| segment.id == id);
    Ok(known.map(|segment| segment.name).unwrap_or_default())
}

/// Returns the text of a campaign; `None` if a draft has none, or lost its template.
async fn content(visit: &Visit, campaign: &Campaign) -> Result<Option<CampaignContent>, Failure> {
    match visit.api().campaigns.content(&visit.caller, campaign).await {
        Ok(content) => {
            Ok(Some(CampaignContent { body: beginning(&content.body, LONGEST_TEXT), ..content }))
        }
        Err(Error::Invalid(_) | Error::UnknownReference(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the last approval that was asked for.
async fn approval(
    visit: &Visit,
    campaign: &Campaign,
) -> Result<Option<RequestedApproval>, Failure> {
    let filter = RequestedApprovalFilter {
        campaign: Some(campaign.id.uuid()),
        ..RequestedApprovalFilter::default()
    };
    let found = visit.api().approvals.requested(&visit.caller, &filter, None, 1).await?;
    Ok(found.approvals.into_iter().next())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        identity::policy::Policy,
        messaging::delivery::FailureCode,
        outreach::campaign::{CampaignCounts, CampaignRequest, FailureCount},
        shared::{channel::Channel, id::Id},
    };

    use super::*;

    #[test]
    fn sent_skipped_failed_and_open_contacts_add_up_to_the_audience() {
        let now = DateTime::UNIX_EPOCH;
        let request = CampaignRequest {
            name: Some("Sale".into()),
            channel: Some(Channel::Sms),
            ..CampaignRequest::default()
        };
        let whose = (Id::new(now), &Policy::default());
        let mut campaign = request.campaign(whose, Id::new(now), now).unwrap();
        (campaign.audience, campaign.unreachable) = (Some(1_203), 3);
        let failure = |code, messages| FailureCount { code, messages };
        let codes = [(FailureCode::RecipientSuppressed, 15), (FailureCode::NoRoute, 5)];
        let messages = CampaignCounts {
            delivered: 1_000,
            sent: 100,
            queued: 50,
            failed: 20,
            failures: codes.map(|(code, messages)| failure(code, messages)).into(),
            ..CampaignCounts::default()
        };
        let progress = CampaignProgress { campaign, counts: messages };

        let counts = Counts::of(&progress);

        assert_eq!((counts.audience, counts.sent, counts.delivered), (1_203, 1_100, 1_000));
        assert_eq!((counts.skipped, counts.failed, counts.open, counts.done()), (18, 5, 80, 1_123));
        let queries: Vec<_> = reasons(&progress).into_iter().map(|row| row.query).collect();
        assert_eq!(
            queries,
            [
                "outcome=SKIPPED&reason=RECIPIENT_SUPPRESSED",
                "outcome=FAILED&reason=NO_ROUTE",
                "outcome=SKIPPED&reason=NO_ADDRESS",
            ]
        );
    }
}
