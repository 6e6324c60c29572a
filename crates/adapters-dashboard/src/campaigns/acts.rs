//! Acts on a campaign: pausing, resuming, cancelling, copying, and deleting a draft.

use actix_web::web::Path;
use domain::{identity::permission::Permission, messaging::message::CampaignId};
use usecases::Error;

use super::{PATH, address, wizard::Step};
use crate::frame::{Notice, Place, Posted, Question, Shown, Visit, id_of, once};

/// Notice of an act that came too late.
const TOO_LATE: &str = "This was not done: the campaign has changed since you opened its page.";

pub(super) async fn pause(visit: Visit, path: Path<String>, _: Posted) -> Shown {
    let id = id_of(&path)?;
    let paused = visit.api().campaigns.pause(&visit.caller, id).await;
    answer(&visit, id, paused.map(drop), "The campaign is paused. Nothing more is sent.")
}

pub(super) async fn resume(visit: Visit, path: Path<String>, _: Posted) -> Shown {
    let id = id_of(&path)?;
    let resumed = visit.api().campaigns.resume(&visit.caller, id).await;
    answer(&visit, id, resumed.map(drop), "The campaign goes on.")
}

pub(super) async fn duplicate(visit: Visit, path: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&path)?;
    let next = once(&visit, &posted, async {
        let copy = visit.api().campaigns.duplicate(&visit.caller, id).await?;
        Ok(address(copy.campaign.id, Step::Audience.page()))
    });
    match next.await {
        Ok(next) => Ok(visit.done(&next, "This is the copy. It is a draft.")),
        Err(refusal) => answer(&visit, id, Err(refusal), ""),
    }
}

pub(super) async fn ask_to_cancel(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::RunCampaigns)?;
    let progress = visit.api().campaigns.get(&visit.caller, id_of(&path)?).await?;
    visit.show(&Question {
        frame: visit.frame(Place::Campaigns),
        title: "Cancel the campaign?",
        text: "Messages that no provider has yet are not sent, and their price is paid back. What was \
               sent stays sent. A cancelled campaign cannot go on; you can pause it instead.",
        button: "Cancel the campaign",
        action: address(progress.campaign.id, "/cancel"),
        back: address(progress.campaign.id, ""),
        name: progress.campaign.name,
    })
}

pub(super) async fn cancel(visit: Visit, path: Path<String>, _: Posted) -> Shown {
    let id = id_of(&path)?;
    let cancelled = visit.api().campaigns.cancel(&visit.caller, id).await;
    answer(&visit, id, cancelled.map(drop), "The campaign is cancelled.")
}

pub(super) async fn ask_to_delete(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let progress = visit.api().campaigns.get(&visit.caller, id_of(&path)?).await?;
    visit.show(&Question {
        frame: visit.frame(Place::Campaigns),
        title: "Delete the draft?",
        text: "The draft is gone for good, with its text. Nothing was sent. Its segment and its \
               template stay.",
        button: "Delete the draft",
        action: address(progress.campaign.id, "/delete"),
        back: address(progress.campaign.id, ""),
        name: progress.campaign.name,
    })
}

pub(super) async fn delete(visit: Visit, path: Path<String>, _: Posted) -> Shown {
    let id = id_of(&path)?;
    match visit.api().campaigns.delete(&visit.caller, id).await {
        Ok(()) => Ok(visit.done(PATH, "The draft is deleted.")),
        Err(refusal) => answer(&visit, id, Err(refusal), ""),
    }
}

/// Leads back to the page of a campaign, which says what was done, or why not.
fn answer(visit: &Visit, id: CampaignId, done: Result<(), Error>, text: &'static str) -> Shown {
    let href = address(id, "");
    match done {
        Ok(()) => Ok(visit.done(&href, text)),
        Err(Error::Conflict(reason)) if reason.code == "INVALID_CAMPAIGN_STATUS" => {
            Ok(visit.go(&href, Some(Notice::bad(TOO_LATE))))
        }
        Err(refusal) => Err(refusal.into()),
    }
}
