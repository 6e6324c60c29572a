//! Top-ups: the form that begins one, the list, and the page to which the payer comes back.

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;
use domain::money::top_up::{PaymentMethod, TopUp, TopUpRequest, TopUpStatus};
use domain::shared::fault::Faults;
use usecases::Error;
use usecases::money::top_ups::{Payer, Settled};

use super::{INVOICES, PER_PAGE, TOP_UPS, tabs};
use crate::formats::{Formats, Moment};
use crate::frame::{
    Choice, Entry, Form, Frame, Labels, Notice, Pages, Place, Posted, Query, Shown, Visit,
    capitalized, once,
};
use crate::words::{InWords, Words};

const LABELS: Labels = &[("amount", "Amount"), ("method", "How to pay")];
const NOT_PAID: &str = "The payment company has no payment for it so far. If you have just paid, \
                        check again in a minute.";

#[derive(Template)]
#[template(path = "billing/top_up.html")]
struct FormPage {
    frame: Frame,
    form: Form,
    methods: Vec<Choice>,
}

#[derive(Template)]
#[template(path = "billing/top_ups.html")]
struct ListPage {
    frame: Frame,
    tabs: Vec<Entry>,
    rows: Vec<Row>,
    pages: Pages,
    /// State of the listed ones, if they have one in common.
    status: Option<Words>,
    may_top_up: bool,
}

#[derive(Template)]
#[template(path = "billing/top_up_progress.html")]
struct ProgressPage {
    frame: Frame,
    row: Row,
    reference: String,
    credited: Option<Moment>,
    balance: String,
    /// Page where it is paid, if the member may do that.
    checkout: Option<String>,
    is_pending: bool,
    may_check: bool,
    may_top_up: bool,
}

struct Row {
    href: String,
    at: Moment,
    amount: String,
    method: &'static str,
    status: Words,
}

impl Row {
    fn new(top_up: &TopUp, f: &Formats) -> Self {
        Self {
            href: format!("{TOP_UPS}/{}", top_up.reference),
            at: f.time(top_up.created_at),
            amount: f.money(top_up.amount),
            method: top_up.method.words().label,
            status: top_up.status.words(),
        }
    }
}

pub(super) async fn form(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::TopUp)?;
    let form = Form::new(LABELS).with("method", PaymentMethod::default().as_str());
    form_page(&visit, form)
}

pub(super) async fn begin(visit: Visit, posted: Posted) -> Shown {
    match once(&visit, &posted, begin_top_up(&visit, &posted)).await {
        Ok(address) if address == INVOICES => {
            let done = "The invoice is issued. Give its number as the reference of your payment.";
            Ok(visit.done(&address, done))
        }
        Ok(address) => Ok(visit.go(&address, None)),
        Err(refusal) => {
            let form = posted.form(LABELS);
            let form = match refusal {
                Error::Unavailable(reason) => {
                    form.with_fault("method", capitalized(&reason.to_string()))
                }
                refusal => form.refused(refusal)?,
            };
            form_page(&visit, form)
        }
    }
}

/// Begins a top-up, and returns the address of its page, or of the invoices.
async fn begin_top_up(visit: &Visit, posted: &Posted) -> Result<String, Error> {
    let mut faults = Faults::default();
    let request = TopUpRequest {
        amount: posted.parsed("amount", &mut faults),
        method: posted.parsed("method", &mut faults),
        reference: None,
        pages: Some(format!("{}{TOP_UPS}", visit.api().public_url)),
    };
    let payer = Payer {
        user: visit.person().user().clone(),
        organization: visit.caller.organization,
        member: Some(visit.caller.clone()),
        administrator: None,
    };
    let receipt = visit.api().top_ups.top_up(&payer, request, faults).await?;
    let page = receipt.checkout_url.map(|_| format!("{TOP_UPS}/{}", receipt.reference));
    Ok(page.unwrap_or_else(|| INVOICES.to_owned()))
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let status: Option<TopUpStatus> = query.get("status").and_then(|text| text.parse().ok());
    let found = visit.api().top_ups.page(&visit.caller, status, query.page_of(PER_PAGE)?).await?;
    let f = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Billing),
        tabs: tabs(TOP_UPS),
        rows: found.items.iter().map(|top_up| Row::new(top_up, &f)).collect(),
        pages: Pages::of(TOP_UPS, &query, &found),
        status: status.map(InWords::words),
        may_top_up: visit.may(Permission::TopUp),
    })
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let found = visit.api().top_ups.find(&visit.caller, &path).await?;
    let wallet = visit.api().billing.wallet(&visit.caller).await?;
    let (top_up, f) = (found.top_up, visit.formats());
    let may_top_up = visit.may(Permission::TopUp);
    let is_open = matches!(top_up.status, TopUpStatus::Pending | TopUpStatus::Abandoned);
    let is_page = |url: &String| url.starts_with("https://") || url.starts_with("http://");
    visit.show(&ProgressPage {
        frame: visit.frame(Place::Billing),
        row: Row::new(&top_up, &f),
        reference: top_up.reference.to_string(),
        credited: top_up.credited_at.map(|at| f.time(at)),
        balance: f.money(wallet.balance),
        checkout: found.checkout_url.filter(is_page).filter(|_| may_top_up),
        is_pending: top_up.status == TopUpStatus::Pending,
        may_check: may_top_up && is_open,
        may_top_up,
    })
}

pub(super) async fn check(visit: Visit, path: Path<String>, _: Posted) -> Shown {
    let notice = match visit.api().top_ups.check(&visit.caller, &path).await {
        Ok(Settled::Credited(_)) => Notice::done("The payment is in your balance."),
        Ok(Settled::NotPaid) => Notice::bad(NOT_PAID),
        Ok(Settled::Exception(reason)) => Notice::bad(format!(
            "The payment arrived, but was not added to your balance. We look at it. {}",
            reason.words().meaning
        )),
        Err(Error::Unavailable(reason)) => Notice::bad(capitalized(&reason.to_string())),
        Err(refusal) => return Err(refusal.into()),
    };
    Ok(visit.go(&format!("{TOP_UPS}/{path}"), Some(notice)))
}

fn form_page(visit: &Visit, form: Form) -> Shown {
    let method = |it: PaymentMethod| {
        let words = it.words();
        Choice::new(it.as_str(), format!("{}: {}", words.label, words.meaning))
    };
    let page = FormPage {
        frame: visit.frame(Place::Billing).refused(form.has_faults()),
        form,
        methods: PaymentMethod::ALL.map(method).into(),
    };
    visit.answer(&page, page.form.has_faults())
}
