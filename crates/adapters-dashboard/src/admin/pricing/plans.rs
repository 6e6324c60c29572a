//! `/app/admin/pricing/plans`

use actix_web::web::Path;
use askama::Template;
use domain::money::pricing::{Plan, PlanRequest, Version};
use domain::shared::fault::Faults;

use super::{ENDED, PER_PAGE, state, states};
use crate::formats::{Formats, Moment};
use crate::frame::{
    Administration, Choice, Failure, Form, Frame, Labels, Pages, Place, Posted, Query, Shown,
    id_of, once_of,
};
use crate::words::Words;

pub(super) const LIST: &str = "/app/admin/pricing/plans";
const LABELS: Labels = &[
    ("name", "Name"),
    ("monthlyFee", "Monthly fee"),
    ("includedMessages", "Messages in a month"),
    ("features", "Features"),
    ("isActive", "In force"),
];

#[derive(Template)]
#[template(path = "admin/pricing/plans.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    states: Vec<Choice>,
    rows: Vec<Row>,
    pages: Pages,
}

#[derive(Template)]
#[template(path = "admin/pricing/plan.html")]
struct EditorPage {
    frame: Frame,
    form: Form,
    /// Plan that is changed; `None` for a new one.
    row: Option<Row>,
}

struct Row {
    href: String,
    name: String,
    fee: String,
    messages: String,
    state: Words,
    since: Moment,
}

impl Row {
    fn new(plan: &Version<Plan>, f: &Formats) -> Self {
        let value = &plan.value;
        Self {
            href: format!("{LIST}/{}", value.id),
            name: value.name.clone(),
            fee: f.money(value.monthly_fee),
            messages: f.count(u64::try_from(value.included_messages).unwrap_or_default()),
            state: state(plan.is_active()),
            since: f.time(plan.created_at),
        }
    }
}

pub(super) async fn list(of: Administration, query: Query) -> Shown {
    let page = query.page_of(PER_PAGE)?;
    let is_active = Some(query.get("active") != Some(ENDED));
    let found = of.api().pricing.plans(&of.administrator, is_active, page).await?;
    let f = of.formats();
    of.show(&ListPage {
        frame: of.frame(Place::Prices),
        form: Form::filled(LABELS, query.pairs().to_vec()),
        states: states(),
        rows: found.items.iter().map(|plan| Row::new(plan, &f)).collect(),
        pages: Pages::of(LIST, &query, &found),
    })
}

pub(super) async fn offer(of: Administration) -> Shown {
    editor(&of, None, Form::new(LABELS))
}

pub(super) async fn create(of: Administration, posted: Posted) -> Shown {
    let created = once_of(of.person(), &posted, async {
        let mut faults = Faults::default();
        let request = request(&posted, &mut faults);
        of.api().pricing.create_plan(&of.administrator, request, faults).await?;
        Ok(LIST.to_owned())
    });
    match created.await {
        Ok(list) => Ok(of.done(&list, "The plan is saved.")),
        Err(refusal) => editor(&of, None, posted.form(LABELS).refused(refusal)?),
    }
}

pub(super) async fn show(of: Administration, id: Path<String>) -> Shown {
    let plan = find(&of, &id).await?;
    let form = Form::new(LABELS)
        .with("name", plan.value.name.as_str())
        .with("monthlyFee", plan.value.monthly_fee.to_number().to_string())
        .with("includedMessages", plan.value.included_messages.to_string())
        .with("features", plan.value.features.join("\n"));
    let form = if plan.is_active() { form.with("isActive", "yes") } else { form };
    editor(&of, Some(&plan), form)
}

pub(super) async fn save(of: Administration, posted: Posted, id: Path<String>) -> Shown {
    let plan = find(&of, &id).await?;
    let mut faults = Faults::default();
    let request = request(&posted, &mut faults);
    match of.api().pricing.update_plan(&of.administrator, plan.value.id, request, faults).await {
        Ok(_) => Ok(of.done(LIST, "The plan is saved.")),
        Err(refusal) => editor(&of, Some(&plan), posted.form(LABELS).refused(refusal)?),
    }
}

async fn find(of: &Administration, id: &str) -> Result<Version<Plan>, Failure> {
    Ok(of.api().pricing.plan(&of.administrator, id_of(id)?).await?)
}

fn request(posted: &Posted, faults: &mut Faults) -> PlanRequest {
    let messages = posted.raw("includedMessages").trim().parse::<i32>();
    let messages = messages.map_err(|_| "must be a whole number");
    PlanRequest {
        name: Some(posted.raw("name").to_owned()),
        monthly_fee: faults.take("monthlyFee", posted.raw("monthlyFee").trim().parse()),
        included_messages: faults.take("includedMessages", messages),
        features: Some(posted.lines("features")),
        is_active: Some(posted.is_set("isActive")),
    }
}

fn editor(of: &Administration, plan: Option<&Version<Plan>>, form: Form) -> Shown {
    let page = EditorPage {
        frame: of.frame(Place::Prices).refused(form.has_faults()),
        form,
        row: plan.map(|plan| Row::new(plan, &of.formats())),
    };
    of.answer(&page, page.form.has_faults())
}
