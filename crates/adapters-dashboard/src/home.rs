//! `/app`: the first page, with the figures of the last thirty days and the next things to do.

pub(crate) mod figures;
mod steps;
mod waiting;

use askama::Template;
use domain::identity::permission::Permission;
use domain::platform::recommendation::{Recommendation, RecommendationCode};

use self::figures::{Balance, Month};
use self::steps::FirstSteps;
use self::waiting::WaitingContent;
use crate::charts::{Line, StackedBars};
use crate::frame::{Frame, Place, Route, Shown, Visit, get};
use crate::words::InWords;

#[derive(Template)]
#[template(path = "home/home.html")]
struct HomePage {
    frame: Frame,
    may_send: bool,
    may_top_up: bool,
    /// True if the member sees API keys and webhooks.
    may_connect: bool,
    unverified: Option<String>,
    /// Steps of a new organization.
    steps: Option<FirstSteps>,
    month: Month,
    messages: StackedBars,
    spending: Line,
    balance: Balance,
    waiting: WaitingContent,
    advice: Vec<Advice>,
}

struct Advice {
    code: RecommendationCode,
    title: String,
    /// Thing to do.
    meaning: &'static str,
    /// Figures that it is based on.
    message: String,
}

impl From<Recommendation> for Advice {
    fn from(recommendation: Recommendation) -> Self {
        Self {
            code: recommendation.code,
            title: recommendation.title,
            meaning: recommendation.code.words().meaning,
            message: recommendation.message,
        }
    }
}

pub(crate) fn routes() -> Vec<Route> {
    vec![get("/app", show)]
}

async fn show(visit: Visit) -> Shown {
    let (api, caller, formats) = (visit.api(), &visit.caller, visit.formats());
    let overview = api.analytics.overview(caller).await?;
    let wallet = api.billing.wallet(caller).await?;
    let recommendations = api.recommendations.list(caller).await?;
    let page = HomePage {
        frame: visit.frame(Place::Home),
        may_send: visit.may(Permission::SendMessages),
        may_top_up: visit.may(Permission::TopUp),
        may_connect: visit.may(Permission::ReadIntegrations),
        unverified: unverified(&visit),
        steps: FirstSteps::of(&visit, &overview).await?,
        month: Month::of(&overview, &formats),
        messages: figures::messages(&overview, &formats),
        spending: figures::spending(&overview, &formats),
        balance: Balance::of(&wallet, &overview, &formats),
        waiting: WaitingContent::of(&visit).await?,
        advice: recommendations.items.into_iter().map(Advice::from).collect(),
    };
    visit.show(&page)
}

/// Returns the address of the user, unless it is verified or nobody asks for that.
fn unverified(visit: &Visit) -> Option<String> {
    let user = visit.person().user();
    let is_asked = visit.api().verifies_emails
        && user.email_verified_at.is_none()
        && visit.caller.impersonator().is_none();
    is_asked.then(|| user.email.clone())
}
