//! `/app/billing`: the balance, its ledger, the spending limit and the low-balance notice.

use askama::Template;
use domain::identity::organization::{OrganizationUpdate, SettingsUpdate};
use domain::identity::permission::Permission;
use domain::identity::spending::SpendingUpdate;
use domain::money::{ledger, wallet::LedgerKind};
use domain::shared::change::Change;
use domain::shared::fault::Faults;
use domain::shared::money::Money;
use domain::shared::page::Page;

use super::movement::{Invoices, Movement};
use super::{BALANCE, PER_PAGE, tabs};
use crate::frame::{
    Entry, Failure, Form, Frame, Labels, Pages, Place, Posted, Query, Shown, Visit,
};
use crate::home::figures::Balance;

/// Fields are named as the paths of their faults.
const NOTICE: &str = "settings.lowBalanceThreshold";
const LIMIT: &str = "settings.dailySpendingLimit";
const LABELS: Labels = &[(LIMIT, "Most in a day"), (NOTICE, "Mail below")];

#[derive(Template)]
#[template(path = "billing/balance.html")]
struct BalancePage {
    frame: Frame,
    tabs: Vec<Entry>,
    form: Form,
    balance: Balance,
    movements: Vec<Movement>,
    pages: Pages,
    may_top_up: bool,
    may_manage: bool,
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    let spending = visit.organization.settings.spending;
    let text = |amount: Option<Money>| {
        let text = amount.map(|amount| amount.to_string()).unwrap_or_default();
        text.rsplit(' ').next().unwrap_or_default().to_owned()
    };
    let form = Form::new(LABELS)
        .with(LIMIT, text(spending.daily_limit))
        .with(NOTICE, text(spending.low_balance_threshold));
    page(&visit, &query, form).await
}

pub(super) async fn save(visit: Visit, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let spending = SpendingUpdate {
        daily_limit: Change::Set(posted.parsed(LIMIT, &mut faults)),
        low_balance_threshold: Change::Set(posted.parsed(NOTICE, &mut faults)),
    };
    let settings = SettingsUpdate { spending, ..SettingsUpdate::default() };
    let update = OrganizationUpdate { settings, ..OrganizationUpdate::default() };
    match visit.api().organizations.update(&visit.caller, update, faults).await {
        Ok(_) => Ok(visit.done(BALANCE, "The limit and the notice are saved.")),
        Err(refusal) => {
            page(&visit, &Query::default(), posted.form(LABELS).refused(refusal)?).await
        }
    }
}

async fn page(visit: &Visit, query: &Query, form: Form) -> Shown {
    let (api, caller, f) = (visit.api(), &visit.caller, visit.formats());
    let overview = api.analytics.overview(caller).await?;
    let found = api.ledger.page(caller, query.page_of(PER_PAGE)?).await?;
    let invoices = invoices(visit, &found.items).await?;
    let page = BalancePage {
        frame: visit.frame(Place::Billing).refused(form.has_faults()),
        tabs: tabs(BALANCE),
        form,
        balance: Balance::of(&api.billing.wallet(caller).await?, &overview, &f),
        pages: Pages::of(BALANCE, query, &found),
        movements: found.items.into_iter().map(|it| Movement::new(it, &invoices, &f)).collect(),
        may_top_up: visit.may(Permission::TopUp),
        may_manage: visit.may(Permission::ManageOrganization),
    };
    visit.answer(&page, page.form.has_faults())
}

/// Returns the newest invoices, if one of the movements may pay for one.
async fn invoices(visit: &Visit, movements: &[ledger::Movement]) -> Result<Invoices, Failure> {
    if !movements.iter().any(|it| matches!(it.kind, LedgerKind::ManualCredit)) {
        return Ok(Invoices::new());
    }
    let newest = Page::of_short_list(None, None)?;
    let found = visit.api().invoices.page(&visit.caller, newest).await?;
    Ok(found.items.into_iter().map(|it| (it.number, it.id)).collect())
}
