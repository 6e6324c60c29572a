//! `/app/admin/approvals`: contents that wait for a decision.

mod detail;

use askama::Template;
use domain::content::approval::Approval;

use crate::formats::Moment;
use crate::frame::{Administration, Frame, Pages, Place, Query, Route, Shown, get, post};
use crate::words::InWords;

const LIST: &str = "/app/admin/approvals";

#[derive(Template)]
#[template(path = "admin/approvals/list.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    kind: &'static str,
    name: String,
    href: String,
    organization: String,
    score: u8,
    asked_at: Moment,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(LIST, show),
        get("/app/admin/approvals/{id}", detail::show),
        post("/app/admin/approvals/{id}", detail::decide),
    ]
}

async fn show(of: Administration, query: Query) -> Shown {
    let page = query.page_of(25)?;
    let found = of.api().approvals.pending(&of.administrator, page).await?;
    let organizations = found.items.iter().map(|approval| approval.organization).collect();
    let names = of.api().tenants.names(&of.administrator, organizations).await?;
    let f = of.formats();
    let row = |approval: &Approval| Row {
        kind: approval.kind.words().label,
        name: approval.name.clone(),
        href: format!("{LIST}/{}", approval.id),
        organization: names.get(&approval.organization).cloned().unwrap_or_default(),
        score: approval.risk_score,
        asked_at: f.time(approval.requested_at),
    };
    of.show(&ListPage {
        frame: of.frame(Place::Approvals),
        rows: found.items.iter().map(row).collect(),
        pages: Pages::of(LIST, &query, &found),
    })
}
