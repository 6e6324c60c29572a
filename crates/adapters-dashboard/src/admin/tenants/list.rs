//! `/app/admin/tenants`

use askama::Template;
use domain::platform::tenant::{Tenant, TenantFilter};

use super::LIST;
use crate::formats::Formats;
use crate::frame::{
    Administration, Choice, Form, Frame, Labels, Pages, Place, Query, Shown, found_or_refused,
};
use crate::words::InWords;

const LABELS: Labels = &[("search", "Name"), ("status", "Status")];
const SUSPENDED: &str = "suspended";
const OTHERS: &str = "others";

#[derive(Template)]
#[template(path = "admin/tenants/list.html")]
struct ListPage {
    frame: Frame,
    f: Formats,
    form: Form,
    statuses: [Choice; 3],
    tenants: Vec<Tenant>,
    pages: Pages,
}

pub(super) async fn show(of: Administration, query: Query) -> Shown {
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let page = query.page_of(50)?;
    let filter = TenantFilter {
        search: query.get("search").map(str::to_owned),
        is_suspended: match query.get("status") {
            Some(SUSPENDED) => Some(true),
            Some(OTHERS) => Some(false),
            _ => None,
        },
    };
    let found = of.api().tenants.page(&of.administrator, filter, page).await;
    let (found, form) = found_or_refused(found, page, form)?;
    let page = ListPage {
        frame: of.frame(Place::Tenants).refused(form.has_faults()),
        f: of.formats(),
        form,
        statuses: [
            Choice::new("", "All"),
            Choice::new(SUSPENDED, "Suspended"),
            Choice::new(OTHERS, "Not suspended"),
        ],
        pages: Pages::of(LIST, &query, &found),
        tenants: found.items,
    };
    of.answer(&page, page.form.has_faults())
}
