//! `/app/segments/new`, `/app/segments/{id}/edit` and `/app/segments/preview`

use actix_web::web::Path;
use domain::audience::segment::{PreviewRequest, Segment, SegmentRequest, SegmentUpdate};
use domain::identity::permission::Permission;
use domain::shared::change::Change;
use usecases::Error;

use super::{
    address,
    conditions::Conditions,
    editor::{self, DESCRIPTION, Editor, FIXED, Found, LABELS, MEMBERSHIP, NAME, Target},
};
use crate::frame::{Failure, Posted, Shown, Visit, id_of, once};

const SAVED: &str = "The segment is saved.";

pub(super) async fn offer(visit: Visit) -> Shown {
    authorize(&visit)?;
    let conditions = Conditions::blank();
    visit.show(&Editor::new(&visit, Target::New, editor::blank(), &conditions, None).await?)
}

pub(super) async fn create(visit: Visit, posted: Posted) -> Shown {
    authorize(&visit)?;
    let mut conditions = Conditions::read(&posted);
    if conditions.rearrange(&posted) {
        return again(&visit, Target::New, &posted, &conditions).await;
    }
    let (rules, faults) = conditions.rules();
    let request = SegmentRequest {
        name: posted.text(NAME),
        description: posted.text(DESCRIPTION),
        rules: Some(rules),
        is_dynamic: Some(posted.raw(MEMBERSHIP) != FIXED),
    };
    let created = once(&visit, &posted, async {
        let (created, _) = visit.api().segments.create(&visit.caller, request, faults).await?;
        Ok(address(created.segment.id))
    });
    match created.await {
        Ok(segment) => Ok(visit.done(&segment, SAVED)),
        Err(refusal) => refused(&visit, Target::New, &posted, &conditions, refusal).await,
    }
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    authorize(&visit)?;
    let (segment, target) = segment(&visit, &id).await?;
    let conditions = Conditions::of(segment.rules.source());
    let form = editor::filled(&segment, &conditions);
    visit.show(&Editor::new(&visit, target, form, &conditions, None).await?)
}

pub(super) async fn save(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    authorize(&visit)?;
    let (segment, target) = segment(&visit, &id).await?;
    let mut conditions = Conditions::read(&posted);
    if conditions.rearrange(&posted) {
        return again(&visit, target, &posted, &conditions).await;
    }
    let (rules, faults) = conditions.rules();
    let update = SegmentUpdate {
        name: Some(posted.text(NAME).unwrap_or_default()),
        description: Change::Set(posted.text(DESCRIPTION)),
        rules: segment.is_dynamic.then_some(rules),
    };
    match visit.api().segments.update(&visit.caller, segment.id, update, faults).await {
        Ok(_) => Ok(visit.done(&address(segment.id), SAVED)),
        Err(refusal) => refused(&visit, target, &posted, &conditions, refusal).await,
    }
}

/// Shows the form again, with those who meet the conditions.
pub(super) async fn preview(visit: Visit, posted: Posted) -> Shown {
    authorize(&visit)?;
    let target = match posted.text("segment") {
        Some(id) => Target::Changing(id_of(&id)?),
        None => Target::New,
    };
    let conditions = Conditions::read(&posted);
    let (rules, faults) = conditions.rules();
    let request = PreviewRequest { rules: Some(rules) };
    let form = posted.form(LABELS);
    let (form, found) = match visit.api().segments.preview(&visit.caller, request, faults).await {
        Ok(preview) => (form, Some(Found::new(&preview, &visit.formats()))),
        Err(refusal) => (editor::refused(form, &conditions, refusal)?, None),
    };
    // Browsers report the status of a refusal as an error of the page that shows the answer.
    visit.show(&Editor::new(&visit, target, form, &conditions, found).await?)
}

/// Shows the form again as it was written, after a condition was added or removed.
async fn again(visit: &Visit, target: Target, posted: &Posted, conditions: &Conditions) -> Shown {
    visit.show(&Editor::new(visit, target, posted.form(LABELS), conditions, None).await?)
}

async fn refused(
    visit: &Visit,
    target: Target,
    posted: &Posted,
    conditions: &Conditions,
    refusal: Error,
) -> Shown {
    let form = editor::refused(posted.form(LABELS), conditions, refusal)?;
    visit.answer(&Editor::new(visit, target, form, conditions, None).await?, true)
}

fn authorize(visit: &Visit) -> Result<(), Failure> {
    Ok(visit.caller.authorize(Permission::WriteAudience)?)
}

async fn segment(visit: &Visit, id: &str) -> Result<(Segment, Target), Failure> {
    let (counted, _) = visit.api().segments.get(&visit.caller, id_of(id)?).await?;
    let segment = counted.segment;
    let target =
        if segment.is_dynamic { Target::Changing(segment.id) } else { Target::Fixed(segment.id) };
    Ok((segment, target))
}
