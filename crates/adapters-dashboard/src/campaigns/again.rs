//! `/app/campaigns/{id}/resend-failed`: the failed messages once more.

use actix_web::web::Path;
use askama::Template;
use domain::{
    identity::permission::Permission, messaging::message::CampaignId, shared::money::Money,
};
use usecases::messaging::resends::{ResendForecast, ResendableCount};
use usecases::outreach::campaign_recipients::ResendCampaign;

use super::address;
use super::forecast::{send_label, shortfall};
use crate::formats::Formats;
use crate::frame::{Form, Frame, Labels, Place, Posted, Shown, Visit, id_of, once};
use crate::words::InWords;

const LABELS: Labels = &[];

#[derive(Template)]
#[template(path = "campaigns/again.html")]
struct AgainPage {
    frame: Frame,
    form: Form,
    f: Formats,
    reasons: Vec<ResendableCount>,
    name: String,
    action: String,
    back: String,
    /// Words on the button; `None` if nothing can be sent again.
    button: Option<String>,
    is_capped: bool,
    shortfall: Option<Money>,
}

pub(super) async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::RunCampaigns)?;
    show_page(&visit, id_of(&path)?, Form::new(LABELS)).await
}

pub(super) async fn send(visit: Visit, path: Path<String>, posted: Posted) -> Shown {
    let (id, request) = (id_of(&path)?, visit.request_id()?);
    let recipients = &visit.api().campaign_recipients;
    let begun = once(&visit, &posted, async {
        let command = ResendCampaign::default();
        let task = recipients.begin_resend(&visit.caller, id, command, request).await?;
        Ok(format!("/app/resend/{}", task.id))
    });
    match begun.await {
        Ok(progress) => Ok(visit.done(&progress, "The messages are being sent again.")),
        Err(refusal) => show_page(&visit, id, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn show_page(visit: &Visit, id: CampaignId, form: Form) -> Shown {
    let campaign = visit.api().campaigns.get(&visit.caller, id).await?.campaign;
    let recipients = &visit.api().campaign_recipients;
    let command = ResendCampaign { is_dry_run: true, ..ResendCampaign::default() };
    let forecast = recipients.forecast_resend(&visit.caller, id, command).await?;
    let balance = visit.api().billing.wallet(&visit.caller).await?.balance;
    let (is_refused, f) = (form.has_faults(), visit.formats());
    let page = AgainPage {
        frame: visit.frame(Place::Campaigns).refused(is_refused),
        form,
        name: campaign.name,
        action: address(id, "/resend-failed"),
        back: address(id, ""),
        button: button(&forecast, f),
        is_capped: forecast.is_capped,
        shortfall: shortfall(forecast.cost, balance),
        f,
        reasons: forecast.by_reason,
    };
    visit.answer(&page, is_refused)
}

fn button(forecast: &ResendForecast, f: Formats) -> Option<String> {
    let messages: u64 = forecast.by_reason.iter().map(|counted| counted.resendable).sum();
    (messages > 0).then(|| send_label(messages, forecast.cost, forecast.is_capped, f))
}
