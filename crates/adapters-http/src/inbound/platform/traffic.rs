//! `/organizations/traffic-alerts`

use actix_web::web::Data;
use domain::{
    platform::traffic::{CodeShare, TrafficAlert},
    shared::id::Id,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Paginated},
        caller::Member,
        endpoint::{Area, get, post},
        error::ApiError,
        formats::Timestamp,
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
        request_id::ThisRequest,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Traffic",
        about: "Codes that do not arrive, as when somebody has an application send them to numbers \
                that earn from each.",
        endpoints: vec![
            get("/organizations/traffic-alerts", "listTrafficAlerts", list)
                .extension()
                .summary("List alerts about codes.")
                .description(
                    "There is one for each range of numbers and day on which far fewer of the \
                     organization's codes arrived than usual, newest first. If those of others arrived \
                     as ever, its codes to the range are stopped for an hour: they fail with \
                     `TRAFFIC_STOPPED`, at no cost. Alerts are kept for 90 days.",
                )
                .answers("The alerts."),
            post("/organizations/traffic-alerts/{id}/lift", "liftTrafficStop", lift)
                .extension()
                .summary("Let stopped codes go again.")
                .description(
                    "For owners and administrators. For 24 hours nothing is stopped again in this \
                     range. An alert that stops nothing stays as it is.",
                )
                .answers("The alert as it is now.")
                .fails(404, "There is no such alert: `NOT_FOUND`."),
        ],
    }
}

impl Identified for TrafficAlert {
    const NAME: &'static str = "traffic alert";
}

/// Far fewer codes than usual arrived in a range.
#[derive(Serialize, ToSchema)]
#[schema(as = TrafficAlert)]
#[serde(rename_all = "camelCase")]
struct TrafficAlertView {
    id: Uuid,
    /// What the numbers of the range begin with.
    #[schema(example = "+23324")]
    range: String,
    /// When it was found.
    found_at: Timestamp,
    /// How many codes to the range were delivered or failed in the last one to two hours.
    #[schema(example = 80)]
    codes: u64,
    /// How many of them were delivered.
    #[schema(example = 12)]
    delivered: u64,
    /// Which share of the organization's codes was delivered in the seven days before, 0–1; if it had
    /// sent too few, of those of others, if these are three or more.
    #[schema(example = 0.95)]
    usual_share: Option<f64>,
    /// Which share of the last codes of all other organizations was delivered, 0–1; null if
    /// these are fewer than three.
    #[schema(example = 0.94)]
    others_share: Option<f64>,
    /// Until when codes to the range are stopped, or were; null if they never were.
    stopped_until: Option<Timestamp>,
    /// When somebody lifted that.
    lifted_at: Option<Timestamp>,
    /// Who did.
    lifted_by: Option<Uuid>,
}

impl From<TrafficAlert> for TrafficAlertView {
    fn from(alert: TrafficAlert) -> Self {
        let evidence = alert.evidence;
        Self {
            id: alert.id.uuid(),
            range: alert.range.to_string(),
            found_at: alert.found_at.into(),
            codes: evidence.recent.codes,
            delivered: evidence.recent.delivered,
            usual_share: evidence.shown_usual().and_then(CodeShare::share),
            others_share: evidence.shown_others().and_then(CodeShare::share),
            stopped_until: alert.stopped_until.map(Timestamp::from),
            lifted_at: alert.lifted_at.map(Timestamp::from),
            lifted_by: alert.lifted_by.map(Id::uuid),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<TrafficAlertView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.traffic_alerts.page(&caller, page).await?))
}

async fn lift(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<TrafficAlert>,
) -> Result<Answer<TrafficAlertView>, ApiError> {
    Ok(Answer::new(api.traffic_alerts.lift(&caller, id.read()?, request).await?))
}
