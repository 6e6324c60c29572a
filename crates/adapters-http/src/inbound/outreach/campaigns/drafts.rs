//! Copies and deletions of campaigns.

use actix_web::web::Data;
use domain::messaging::message::CampaignMarker;
use usecases::{
    Error, identity::api_keys::LIVE_KEY_REQUIRED, outreach::campaigns::campaign_limit_reached,
};

use super::CampaignView;
use crate::inbound::{
    Api,
    shared::{
        answers::{Created, NoContent},
        caller::Member,
        endpoint::{Endpoint, delete as delete_at, post_once, refusals::unfit_campaign},
        error::ApiError,
        path_id::PathId,
    },
};

/// Returns the endpoints for copies and deletions.
pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        delete_at("/campaigns/{id}", "deleteCampaign", delete)
            .extension()
            .summary("Delete a draft.")
            .answers("It is deleted.")
            .refuses_when("The campaign is no draft.", unfit_campaign())
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED)),
        post_once("/campaigns/{id}/duplicate", "duplicateCampaign", duplicate)
            .extension()
            .summary("Duplicate a campaign.")
            .description(
                "Creates a draft with the same text, template, sender, metadata and segment, and \
                 without `scheduledAt`. ` (copy)` is added to the name. Made with an API key, it \
                 is of the mode of the key.",
            )
            .answers("The draft.")
            .names_segment()
            .names_template()
            .refuses(campaign_limit_reached()),
    ]
}

async fn delete(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<NoContent, ApiError> {
    api.campaigns.delete(&caller, id.read()?).await?;
    Ok(NoContent)
}

async fn duplicate(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<Created<CampaignView>, ApiError> {
    Ok(Created::new(api.campaigns.duplicate(&caller, id.read()?).await?))
}
