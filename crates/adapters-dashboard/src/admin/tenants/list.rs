//! `/app/admin/tenants`

use askama::Template;
use domain::platform::tenant::{Tenant, TenantFilter};
use domain::shared::page::Paged;

use super::{LIST, address};
use crate::formats::{Formats, Moment};
use crate::frame::{Administration, Choice, Form, Frame, Labels, Pages, Place, Query, Shown};
use crate::words::{InWords, Words};

const LABELS: Labels = &[("search", "Name"), ("status", "Status")];
const SUSPENDED: &str = "suspended";
const OTHERS: &str = "others";

#[derive(Template)]
#[template(path = "admin/tenants/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    statuses: [Choice; 3],
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    name: String,
    href: String,
    state: Words,
    balance: String,
    members: String,
    since: Moment,
}

impl Row {
    fn of(tenant: Tenant, f: &Formats) -> Self {
        let organization = tenant.organization;
        Self {
            href: address(organization.id, ""),
            state: organization.settings.words(),
            balance: f.money(tenant.balance),
            members: f.count(tenant.members),
            since: f.date(organization.created_at),
            name: organization.name,
        }
    }
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
    let (found, form) = match found {
        Ok(found) => (found, form),
        Err(refusal) => (Paged::counted(Vec::new(), page, 0), form.refused(refusal)?),
    };
    let (f, is_refused) = (of.formats(), form.has_faults());
    let page = ListPage {
        frame: of.frame(Place::Tenants).refused(is_refused),
        form,
        statuses: [
            Choice::new("", "All"),
            Choice::new(SUSPENDED, "Suspended"),
            Choice::new(OTHERS, "Not suspended"),
        ],
        pages: Pages::of(LIST, &query, &found),
        rows: found.items.into_iter().map(|tenant| Row::of(tenant, &f)).collect(),
    };
    of.answer(&page, is_refused)
}
