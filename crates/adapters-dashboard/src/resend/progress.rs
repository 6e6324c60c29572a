//! `/app/resend/{id}`

use actix_web::web::Path;
use askama::Template;

use super::task::Task;
use crate::frame::{Frame, Place, Shown, Visit, id_of};

#[derive(Template)]
#[template(path = "resend/progress.html")]
struct ProgressPage {
    frame: Frame,
    task: Task,
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    let task = visit.api().resends.get(&visit.caller, id_of(&id)?).await?;
    let task = Task::of(&task, &visit.formats());
    visit.show(&ProgressPage { frame: visit.frame(Place::Resend), task })
}
