//! `/app/admin/payment-exceptions`

use actix_web::web::Path;
use askama::Template;
use domain::identity::organization::Organization;
use domain::money::payment::{ExceptionReason, PaymentException};
use domain::money::top_up::TopUpRequest;
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use domain::shared::money::CURRENCY;
use usecases::money::top_ups::Payer;

use crate::formats::{Formats, Moment};
use crate::frame::{
    Administration, Failure, Form, Frame, Labels, Pages, Place, Posted, Query, Shown, id_of,
};
use crate::words::{InWords, Words};

pub(super) const LIST: &str = "/app/admin/payment-exceptions";
const LABELS: Labels = &[("amount", "Amount"), ("comment", "What was done")];

#[derive(Template)]
#[template(path = "admin/payment_exceptions.html")]
struct ListPage {
    frame: Frame,
    is_resolved: bool,
    rows: Vec<Row>,
    pages: Pages,
}

#[derive(Template)]
#[template(path = "admin/payment_exception.html")]
struct DetailPage {
    frame: Frame,
    form: Form,
    row: Row,
    expected: Option<String>,
    /// Address and name of the organization, if it is known.
    organization: Option<(String, String)>,
    may_credit: bool,
    /// Time of the resolution, and the comment on it.
    resolution: Option<(Moment, String)>,
}

/// Payment that could not be credited, or is taken back.
struct Row {
    href: String,
    reference: String,
    reason: Words,
    /// Amount; `None` if the gateway does not report it.
    amount: Option<String>,
    at: Moment,
}

impl Row {
    fn new(exception: &PaymentException, f: &Formats) -> Self {
        let currency = exception.currency.as_deref().unwrap_or(CURRENCY);
        let amount = exception.amount.map(|it| f.money(it).replacen(CURRENCY, currency, 1));
        Self {
            href: format!("{LIST}/{}", exception.id),
            reference: exception.reference.clone(),
            reason: exception.reason.words(),
            amount,
            at: f.time(exception.noticed_at),
        }
    }
}

pub(super) async fn list(of: Administration, query: Query) -> Shown {
    let is_resolved = query.get("resolved").is_some();
    let page = query.page_of(25)?;
    let exceptions = &of.api().payment_exceptions;
    let found = exceptions.page(&of.administrator, Some(is_resolved), page).await?;
    let f = of.formats();
    of.show(&ListPage {
        frame: of.frame(Place::PaymentExceptions),
        is_resolved,
        rows: found.items.iter().map(|it| Row::new(it, &f)).collect(),
        pages: Pages::of(LIST, &query, &found),
    })
}

pub(super) async fn show(of: Administration, id: Path<String>) -> Shown {
    let exception = find(&of, &id).await?;
    let in_cedis = exception.currency.as_deref().is_none_or(|it| it == CURRENCY);
    let amount = exception.amount.filter(|_| in_cedis).or(exception.expected);
    let amount = amount.map(|it| it.to_number().to_string()).unwrap_or_default();
    page(&of, exception, Form::new(LABELS).with("amount", amount)).await
}

pub(super) async fn credit(of: Administration, posted: Posted, id: Path<String>) -> Shown {
    let exception = find(&of, &id).await?;
    let organization = creditable(&exception).ok_or(Failure::UnknownPage)?;
    let user = of.person().user().clone();
    let administrator = Some(of.administrator.clone());
    let payer = Payer { user, organization, member: None, administrator };
    let mut faults = Faults::default();
    let request = TopUpRequest {
        amount: posted.parsed("amount", &mut faults),
        reference: Some(exception.reference.clone()),
        ..TopUpRequest::default()
    };
    match of.api().top_ups.top_up(&payer, request, faults).await {
        Ok(receipt) => {
            let amount = of.formats().money(receipt.amount);
            let text = format!("{amount} is in the wallet. Now write down what was done.");
            Ok(of.done(&format!("{LIST}/{}", exception.id), text))
        }
        Err(refusal) => page(&of, exception, posted.form(LABELS).refused(refusal)?).await,
    }
}

pub(super) async fn resolve(of: Administration, posted: Posted, id: Path<String>) -> Shown {
    let exception = find(&of, &id).await?;
    let (exceptions, comment) = (&of.api().payment_exceptions, posted.text("comment"));
    let id = exception.id;
    match exceptions.resolve(&of.administrator, id, comment, Faults::default()).await {
        Ok(_) => Ok(of.done(LIST, "The payment exception is resolved.")),
        Err(refusal) => page(&of, exception, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn find(of: &Administration, id: &str) -> Result<PaymentException, Failure> {
    Ok(of.api().payment_exceptions.get(&of.administrator, id_of(id)?).await?)
}

/// Returns the organization whose wallet still lacks the payment; `None` if it is unknown, or if there
/// is nothing left to do with the payment.
fn creditable(exception: &PaymentException) -> Option<Id<Organization>> {
    let is_taken_back =
        matches!(exception.reason, ExceptionReason::Disputed | ExceptionReason::Refunded);
    let is_open = exception.resolution.is_none();
    exception.organization.filter(|_| is_open && !is_taken_back)
}

async fn page(of: &Administration, exception: PaymentException, form: Form) -> Shown {
    let f = of.formats();
    let ids = exception.organization.into_iter().collect();
    let names = of.api().tenants.names(&of.administrator, ids).await?;
    let organization = names.into_iter().next();
    let page = DetailPage {
        frame: of.frame(Place::PaymentExceptions).refused(form.has_faults()),
        form,
        row: Row::new(&exception, &f),
        expected: exception.expected.map(|expected| f.money(expected)),
        organization: organization.map(|(id, name)| (format!("/app/admin/tenants/{id}"), name)),
        may_credit: creditable(&exception).is_some(),
        resolution: exception.resolution.map(|it| (f.time(it.at), it.comment)),
    };
    of.answer(&page, page.form.has_faults())
}
