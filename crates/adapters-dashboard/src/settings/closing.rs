//! `/app/settings/close` and `/app/settings/restore`

use askama::Template;
use domain::shared::{fault::Faults, money::Money};
use usecases::{Error, platform::closings::WALLET_NOT_EMPTY};

use super::PATH;
use crate::frame::{Form, Frame, Labels, Place, Posted, Shown, Visit};

const LABELS: Labels = &[("forfeit", "Money in the wallet"), ("password", "Password")];

#[derive(Template)]
#[template(path = "settings/close.html")]
struct ClosePage {
    frame: Frame,
    form: Form,
    /// Money in the wallet; `None` if it is empty.
    balance: Option<String>,
}

pub(super) async fn offer(visit: Visit) -> Shown {
    page(&visit, Form::new(LABELS)).await
}

pub(super) async fn close(visit: Visit, posted: Posted) -> Shown {
    let form = posted.form(LABELS);
    let form = match confirmed_close(&visit, &posted).await {
        Ok(()) => return Ok(visit.done(PATH, "The organization is closed.")),
        Err(Error::Conflict(reason)) if reason == WALLET_NOT_EMPTY => {
            form.with_fault("forfeit", "The wallet holds money. Give it up, or spend it first")
        }
        Err(refusal) => form.refused(refusal)?,
    };
    page(&visit, form).await
}

async fn confirmed_close(visit: &Visit, posted: &Posted) -> Result<(), Error> {
    let (owner, request) = (visit.caller.owner()?, visit.edge().request_id()?);
    let (api, client) = (visit.api(), visit.edge().client());
    let password = posted.password("password");
    api.auth.confirm_password(owner, password, &client, Faults::default()).await?;
    api.closings.close(&visit.caller, posted.is_set("forfeit"), request).await
}

pub(super) async fn restore(visit: Visit, _: Posted) -> Shown {
    visit.api().closings.restore(&visit.caller, visit.request_id()?).await?;
    Ok(visit.done(PATH, "The organization is open again."))
}

async fn page(visit: &Visit, form: Form) -> Shown {
    visit.caller.owner()?;
    let wallet = visit.api().organizations.current(&visit.caller).await?.wallet;
    let page = ClosePage {
        frame: visit.frame(Place::Settings).refused(form.has_faults()),
        form,
        balance: (wallet.balance > Money::ZERO).then(|| visit.formats().money(wallet.balance)),
    };
    visit.answer(&page, page.form.has_faults())
}
