//! `/app/resend/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::{messaging::resend::ResendTask, shared::id::Id};

use super::task::Task;
use crate::frame::{
    failure::{Failure, Shown},
    navigation::Place,
    page::Frame,
    routes::{Route, get},
    visit::Visit,
};

/// Page with the progress and the result of the work.
#[derive(Template)]
#[template(path = "resend/progress.html")]
struct ProgressPage {
    frame: Frame,
    task: Task,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get("/app/resend/{id}", show)]
}

async fn show(visit: Visit, id: Path<String>) -> Shown {
    let id: Id<ResendTask> = id.parse().map_err(|_| Failure::UnknownPage)?;
    let task = visit.api().resends.get(&visit.caller, id).await?;
    let task = Task::of(&task, &visit.formats());
    visit.show(&ProgressPage { frame: visit.frame(Place::Resend), task })
}
