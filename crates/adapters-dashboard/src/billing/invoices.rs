//! `/app/billing/invoices`

use actix_web::web::Path;
use adapters_http::invoice_page;
use askama::Template;
use domain::money::invoice::Invoice;

use super::{INVOICES, PER_PAGE, tabs};
use crate::formats::Formats;
use crate::frame::{Entry, Frame, Pages, Place, Query, Shown, Visit, id_of};
use crate::words::InWords;

#[derive(Template)]
#[template(path = "billing/invoices.html")]
struct InvoicesPage {
    frame: Frame,
    f: Formats,
    tabs: Vec<Entry>,
    invoices: Vec<Invoice>,
    pages: Pages,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let found = visit.api().invoices.page(&visit.caller, query.page_of(PER_PAGE)?).await?;
    visit.show(&InvoicesPage {
        frame: visit.frame(Place::Billing),
        f: visit.formats(),
        tabs: tabs(INVOICES),
        pages: Pages::of(INVOICES, &query, &found),
        invoices: found.items,
    })
}

/// Shows an invoice as a sheet of paper, which has nothing but its content.
pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    Ok(invoice_page(&visit.api().invoices.find(&visit.caller, id_of(&path)?).await?))
}
