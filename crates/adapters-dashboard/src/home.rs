//! `/app`: the first page, with the figures of the last thirty days and the next things to do.

mod figures;
mod steps;
mod waiting;

use askama::Template;
use domain::{
    identity::permission::Permission,
    platform::recommendation::{Recommendation, RecommendationCode},
};

use self::{
    figures::{Balance, Month},
    steps::FirstSteps,
    waiting::WaitingContent,
};
use crate::{
    charts::{Line, StackedBars},
    frame::{
        failure::Shown,
        navigation::Place,
        page::Frame,
        routes::{Route, get},
        visit::Visit,
    },
    words::InWords,
};

/// The page.
#[derive(Template)]
#[template(path = "home/home.html")]
struct HomePage {
    frame: Frame,
    may_send: bool,
    /// Address of the user, if it is to be verified.
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

/// Recommendation.
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

/// Returns the routes of this page.
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
