//! `/app/billing/invoices`

use actix_web::web::Path;
use adapters_http::invoice_page;
use askama::Template;
use domain::money::invoice::Invoice;

use super::{INVOICES, PER_PAGE, tabs};
use crate::formats::{Formats, Moment};
use crate::frame::{Entry, Frame, Pages, Place, Query, Shown, Visit, id_of};
use crate::words::{InWords, Words};

#[derive(Template)]
#[template(path = "billing/invoices.html")]
struct InvoicesPage {
    frame: Frame,
    tabs: Vec<Entry>,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    href: String,
    number: String,
    kind: Words,
    status: Words,
    amount: String,
    issued: Moment,
    due: Option<Moment>,
}

impl Row {
    fn new(invoice: &Invoice, f: &Formats) -> Self {
        Self {
            href: format!("{INVOICES}/{}", invoice.id),
            number: invoice.number.to_string(),
            kind: invoice.kind().words(),
            status: invoice.status.words(),
            amount: f.money(invoice.amount),
            issued: f.date(invoice.issued_at),
            due: invoice.due_at.map(|at| f.date(at)),
        }
    }
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let found = visit.api().invoices.page(&visit.caller, query.page_of(PER_PAGE)?).await?;
    let f = visit.formats();
    visit.show(&InvoicesPage {
        frame: visit.frame(Place::Billing),
        tabs: tabs(INVOICES),
        rows: found.items.iter().map(|invoice| Row::new(invoice, &f)).collect(),
        pages: Pages::of(INVOICES, &query, &found),
    })
}

/// Shows an invoice as a sheet of paper, which has nothing but its content.
pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    Ok(invoice_page(&visit.api().invoices.find(&visit.caller, id_of(&path)?).await?))
}
