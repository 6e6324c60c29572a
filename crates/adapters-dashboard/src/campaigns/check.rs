//! `/app/campaigns/{id}/check`: the third step.

use actix_web::web::Path;
use askama::Template;
use domain::{outreach::campaign::Campaign, shared::channel::Channel};
use usecases::Error;

use super::address;
use super::forecast::Forecast;
use super::wizard::{ShownStep, Step, draft, steps, to_text};
use crate::formats::Formats;
use crate::frame::{Frame, Place, Shown, Visit, id_of};
use crate::words::InWords;

#[derive(Template)]
#[template(path = "campaigns/check.html")]
struct CheckPage {
    frame: Frame,
    f: Formats,
    steps: Vec<ShownStep>,
    forecast: Forecast,
    campaign: Campaign,
    back: String,
    /// The contacts of the audience.
    audience: String,
    is_mail: bool,
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let draft = draft(&visit, id_of(&path)?).await?;
    let forecast = match Forecast::of(&visit, draft.id).await {
        Ok(forecast) => forecast,
        Err(Error::Invalid(_)) => return Ok(to_text(&visit, draft.id)),
        Err(error) => return Err(error.into()),
    };
    visit.show(&CheckPage {
        frame: visit.frame(Place::Campaigns),
        f: visit.formats(),
        steps: steps(Some(&draft), Step::Check),
        forecast,
        back: address(draft.id, ""),
        audience: draft
            .segment
            .map_or_else(|| "/app/contacts".to_owned(), |id| format!("/app/segments/{id}")),
        is_mail: draft.channel == Channel::Email,
        campaign: draft,
    })
}
