//! `/app/admin/tenants/{id}/wallet`: corrections of the balance.

use actix_web::web::Path;
use askama::Template;
use domain::identity::organization::Organization;
use domain::platform::wallet_correction::{Direction, WalletCorrectionRequest};
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use usecases::Error;

use super::address;
use crate::frame::{
    Administration, Choice, Form, Frame, Labels, Place, Posted, Shown, id_of, once_of,
};

const LABELS: Labels =
    &[("direction", "Kind of correction"), ("amount", "Amount"), ("reason", "Reason")];
const CREDIT: &str = "credit";
const DEBIT: &str = "debit";

#[derive(Template)]
#[template(path = "admin/tenants/wallet.html")]
struct WalletPage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
    balance: String,
    directions: [Choice; 2],
}

pub(super) async fn ask(of: Administration, path: Path<String>) -> Shown {
    page(&of, id_of(&path)?, Form::new(LABELS)).await
}

pub(super) async fn correct(of: Administration, path: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&path)?;
    match once_of(of.person(), &posted, made(&of, id, &posted)).await {
        Ok(notice) => Ok(of.done(&address(id, ""), notice)),
        Err(refusal) => page(&of, id, posted.form(LABELS).refused(refusal)?).await,
    }
}

/// Corrects the balance, and returns what the next page says.
async fn made(of: &Administration, id: Id<Organization>, posted: &Posted) -> Result<String, Error> {
    let mut faults = Faults::default();
    let direction = match posted.raw("direction") {
        CREDIT => Direction::Credit,
        DEBIT => Direction::Debit,
        _ => {
            faults.add("direction", "must be chosen");
            Direction::Credit
        }
    };
    let request = WalletCorrectionRequest {
        amount: posted.parsed("amount", &mut faults),
        reason: posted.text("reason"),
    };
    let corrections = &of.api().wallet_corrections;
    let made =
        corrections.make(&of.administrator, (id, direction), (request, None), faults).await?;
    Ok(format!("The wallet is corrected. It holds {} now.", of.formats().money(made.balance)))
}

async fn page(of: &Administration, id: Id<Organization>, form: Form) -> Shown {
    let tenant = of.api().tenants.get(&of.administrator, id).await?;
    let page = WalletPage {
        frame: of.frame(Place::Tenants).refused(form.has_faults()),
        form,
        href: address(id, ""),
        name: tenant.organization.name,
        balance: of.formats().money(tenant.balance),
        directions: [
            Choice::new(CREDIT, "Put money into the wallet"),
            Choice::new(DEBIT, "Take money out of it"),
        ],
    };
    of.answer(&page, page.form.has_faults())
}
