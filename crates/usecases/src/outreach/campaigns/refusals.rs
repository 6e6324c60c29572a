//! Refusals of operations on campaigns.

use domain::{
    audience::segment::Segment,
    content::approval::Approval,
    identity::caller::Caller,
    outreach::campaign::{Campaign, CampaignStatus, MAX_UNFINISHED},
    shared::id::Id,
};

use crate::{Error, Reason, identity::api_keys::LIVE_KEY_REQUIRED};

/// A live key would send messages of a rehearsal.
pub const SANDBOX_KEY_REQUIRED: Reason = Reason::new(
    "SANDBOX_KEY_REQUIRED",
    "a live key sends no messages of a rehearsal: use a sandbox key",
);

/// Fails if a sandbox key would change a campaign that is no rehearsal.
pub(crate) fn check_mode(caller: &Caller, campaign: &Campaign) -> Result<(), Error> {
    if caller.is_sandbox() && !campaign.is_sandbox {
        return Err(Error::Forbidden(LIVE_KEY_REQUIRED));
    }
    Ok(())
}

/// Fails if an API key of one mode would send messages of a campaign of the other.
pub(crate) fn check_sending_mode(caller: &Caller, campaign: &Campaign) -> Result<(), Error> {
    check_mode(caller, campaign)?;
    match caller.rehearses(Some(campaign.is_sandbox)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Forbidden(SANDBOX_KEY_REQUIRED)),
    }
}

/// The organization has the maximum number of unfinished campaigns.
pub fn campaign_limit_reached() -> Error {
    let message =
        format!("an organization has at most {MAX_UNFINISHED} campaigns that have not ended");
    Error::Conflict(Reason::with_message("CAMPAIGN_LIMIT_REACHED", message))
}

/// The segment does not exist.
pub fn segment_not_found(id: Id<Segment>) -> Error {
    let reason = Reason::with_message("SEGMENT_NOT_FOUND", format!("segment {id} not found"));
    Error::UnknownReference(reason.about("segmentId", id.to_string()))
}

/// The campaign cannot be `done` (such as paused) in its `status`, only in one of `fit`.
pub fn unfit_campaign_status(
    status: CampaignStatus,
    fit: &[CampaignStatus],
    done: &'static str,
) -> Error {
    let fit: Vec<_> = fit.iter().map(|status| status.as_str()).collect();
    let message =
        format!("the campaign is {status}; only one that is {} can be {done}", fit.join(" or "));
    let reason = Reason::with_message("INVALID_CAMPAIGN_STATUS", message);
    Error::Conflict(reason.about("status", status.as_str()))
}

/// The text of the campaign is risky: it waits for approval, and then continues by itself.
pub fn approval_required(approval: Id<Approval>, risk_score: u8) -> Error {
    let message = format!(
        "the text has a risk score of {risk_score}: a platform administrator decides about it, and \
         the campaign goes on by itself once it is approved"
    );
    let reason = Reason::with_message("APPROVAL_REQUIRED", message);
    let reason = reason.about("approvalId", approval.to_string());
    Error::Conflict(reason.about("riskScore", risk_score.to_string()))
}
