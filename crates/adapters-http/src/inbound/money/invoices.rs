//! `/billing/invoices`

mod sheet;
mod view;

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::{
        StatusCode,
        header::{HeaderValue, VARY},
    },
    web::Data,
};
use domain::money::invoice::{Invoice, InvoiceKind, InvoiceStatus};
use usecases::money::invoices::InvoiceSheet;

pub use self::sheet::invoice_page;
use self::view::{InvoiceDetailView, InvoiceView};
use super::refusals::{invoice_credited, invoice_not_open};
use crate::inbound::{
    Api,
    shared::{
        accept::Form,
        answers::{self, Answer, Paginated, schema_of_one},
        caller::Member,
        endpoint::{
            Area,
            describe::{Describe, Description},
            get, post,
        },
        error::ApiError,
        formats::{Names, Vocabulary},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Invoices",
        about: "Invoices, and monthly statements.",
        endpoints: vec![
            get("/billing/invoices", "listInvoices", list)
                .summary("List invoices.")
                .description(
                    "Newest first. An invoice is issued for each top-up with the method `invoice`; \
                     a statement of each month with movements is issued on the first day of the \
                     next month.",
                )
                .answers("A page."),
            get("/billing/invoices/{id}", "getInvoice", find)
                .extension()
                .summary("Get an invoice, with the details of a statement.")
                .description(
                    "Returns JSON, or a page that prints on A4 if `Accept` prefers `text/html`.",
                )
                .answers("The invoice."),
            post("/billing/invoices/{id}/void", "voidInvoice", withdraw)
                .extension()
                .summary("Withdraw an open invoice.")
                .description("For owners and administrators. Its number is not reused.")
                .answers("The changed invoice.")
                .refuses_when("It is already paid or withdrawn.", invoice_not_open())
                .refuses_when("Its amount is already credited.", invoice_credited()),
        ],
    }
}

impl Identified for Invoice {
    const NAME: &'static str = "invoice";
}

type KindName = Names<InvoiceKind>;
type InvoiceStatusName = Names<InvoiceStatus>;

impl Vocabulary for InvoiceKind {
    const TITLE: &'static str = "InvoiceKind";
    const DESCRIPTION: &'static str =
        "`TOP_UP` requests a payment to the wallet; `STATEMENT` reports its movements.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for InvoiceStatus {
    const TITLE: &'static str = "InvoiceStatus";
    const DESCRIPTION: &'static str =
        "The state of an invoice. Statements are paid, because the wallet paid before.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// An invoice in the form that the client prefers.
struct Shown(Form, InvoiceSheet);

impl Responder for Shown {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let Self(form, shown) = self;
        let mut response = match form {
            Form::Html => invoice_page(&shown),
            Form::Json => answers::success(StatusCode::OK, InvoiceDetailView::from(shown.invoice)),
        };
        response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
        response
    }
}

impl Describe for Shown {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<InvoiceDetailView>(&mut description.schemas);
        description.answers_json_or_page(200, schema);
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<InvoiceView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.invoices.page(&caller, page).await?))
}

async fn find(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Invoice>,
    request: HttpRequest,
) -> Result<Shown, ApiError> {
    Ok(Shown(Form::wanted(&request), api.invoices.find(&caller, id.read()?).await?))
}

async fn withdraw(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Invoice>,
) -> Result<Answer<InvoiceView>, ApiError> {
    Ok(Answer::new(api.invoices.withdraw(&caller, id.read()?).await?))
}
