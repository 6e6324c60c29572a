//! `/organizations/traffic-alerts`

use actix_web::web::Data;
use domain::{
    identity::traffic::{CodeShare, TrafficAlert},
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
        about: "Alerts about codes that do not arrive, as in fraud with numbers that earn from \
                each message.",
        endpoints: vec![
            get("/organizations/traffic-alerts", "listTrafficAlerts", list)
                .extension()
                .summary("List alerts about codes.")
                .description(
                    "Newest first: one for each day and range of numbers in which far fewer of the \
                     organization's codes arrived than usual. If the codes of others arrived as \
                     usual, its codes to the range are stopped for an hour: they fail with \
                     `TRAFFIC_STOPPED`, at no cost. Alerts are kept for 90 days.",
                )
                .answers("The alerts."),
            post("/organizations/traffic-alerts/{id}/lift", "liftTrafficStop", lift)
                .extension()
                .summary("Lift a stop of codes.")
                .description(
                    "For owners and administrators. Codes to this range are not stopped again for \
                     24 hours. An alert that stops nothing does not change.",
                )
                .answers("The changed alert."),
        ],
    }
}

impl Identified for TrafficAlert {
    const NAME: &'static str = "traffic alert";
}

/// Alert that far fewer codes than usual arrived in a range of numbers.
#[derive(Serialize, ToSchema)]
#[schema(as = TrafficAlert)]
#[serde(rename_all = "camelCase")]
struct TrafficAlertView {
    id: Uuid,
    /// Digits that the numbers of the range begin with.
    #[schema(example = "+23324")]
    range: String,
    /// Time at which it was found.
    found_at: Timestamp,
    /// Number of codes to the range that were delivered or failed in the last one to two hours.
    #[schema(example = 80)]
    codes: u64,
    /// Number of these that were delivered.
    #[schema(example = 12)]
    delivered: u64,
    /// Share of the organization's codes that was delivered in the seven days before, 0–1; if it
    /// had sent too few, that of other organizations, if these are three or more.
    #[schema(example = 0.95)]
    usual_share: Option<f64>,
    /// Share of the last codes of all other organizations that was delivered, 0–1; null if these
    /// are fewer than three.
    #[schema(example = 0.94)]
    others_share: Option<f64>,
    /// Time until which codes to the range are or were stopped; null if they never were.
    stopped_until: Option<Timestamp>,
    /// Time at which the stop was lifted.
    lifted_at: Option<Timestamp>,
    /// User who lifted the stop.
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
