//! `/app/account/second-factor`

use std::net::IpAddr;

use askama::Template;
use domain::shared::fault::Faults;
use usecases::{Error, identity::second_factors::Enrolment};

use crate::access::proof;
use crate::frame::{Account, Form, Frame, Labels, Posted, Shown, once_of};

pub(super) const PATH: &str = "/app/account/second-factor";
const LABELS: Labels = &[("password", "Password"), ("code", "Code")];

#[derive(Template)]
#[template(path = "account/second_factor.html")]
struct SecondFactorPage {
    frame: Frame,
    form: Form,
    step: Step,
}

/// Steps on the way to a second factor, and back.
enum Step {
    /// There is none, and one can be set up.
    Offer,
    /// An app has the secret and proves it by a code. The secret is shown once.
    Confirm(Option<Enrolment>),
    /// There is one now, whose recovery codes are shown once.
    Codes(Vec<String>),
    /// There is one, which can be removed.
    Remove,
}

pub(super) async fn show(account: Account) -> Shown {
    let has_one = account.person().user().second_factor_at.is_some();
    let step = if has_one { Step::Remove } else { Step::Offer };
    page(&account, Form::new(LABELS), step)
}

pub(super) async fn propose(account: Account, posted: Posted) -> Shown {
    let (user, address) = (account.person().user(), network(&account));
    let factors = account.api().auth.second_factors();
    match factors.propose(user, posted.password("password"), address, Faults::default()).await {
        Ok(enrolment) => page(&account, Form::new(LABELS), Step::Confirm(Some(enrolment))),
        Err(refusal) => refused(&account, &posted, refusal, Step::Offer),
    }
}

pub(super) async fn confirm(account: Account, posted: Posted) -> Shown {
    // A form that is sent twice shows the same codes twice: the browser shows the last answer only.
    let confirmed = once_of(account.person(), &posted, async {
        let (user, address) = (account.person().user(), network(&account));
        let code = posted.text("code").map(|code| code.split_whitespace().collect());
        let factors = account.api().auth.second_factors();
        let codes = factors.confirm(user, code, address, Faults::default()).await?;
        Ok(codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    });
    match confirmed.await {
        Ok(codes) => {
            let codes = codes.split(' ').map(str::to_owned).collect();
            page(&account, Form::new(LABELS), Step::Codes(codes))
        }
        Err(refusal) => refused(&account, &posted, refusal, Step::Confirm(None)),
    }
}

pub(super) async fn remove(account: Account, posted: Posted) -> Shown {
    let (user, address) = (account.person().user(), network(&account));
    let (password, proof) = (posted.password("password"), proof(posted.text("code")));
    let factors = account.api().auth.second_factors();
    match factors.remove(user, password, &proof, address, Faults::default()).await {
        Ok(()) => Ok(account.done(super::PATH, "The second factor is off.")),
        Err(refusal) => refused(&account, &posted, refusal, Step::Remove),
    }
}

fn page(account: &Account, form: Form, step: Step) -> Shown {
    let is_refused = form.has_faults();
    let frame = account.frame().refused(is_refused);
    account.show(&SecondFactorPage { frame, form, step }, is_refused)
}

/// Shows a step again with what is wrong, or the step that is possible now.
fn refused(account: &Account, posted: &Posted, refusal: Error, step: Step) -> Shown {
    let refusal = match refusal {
        Error::NotFound(_) | Error::Conflict(_) => return Ok(account.person().go(PATH, None)),
        // One field takes both kinds of codes.
        Error::Invalid(mut faults) => {
            if let Some(texts) = faults.fields.remove("recoveryCode") {
                faults.fields.insert("code".to_owned(), texts);
            }
            Error::Invalid(faults)
        }
        other => other,
    };
    page(account, posted.form(LABELS).refused(refusal)?, step)
}

/// Returns the address by which wrong passwords and codes are counted.
fn network(account: &Account) -> IpAddr {
    account.person().edge.client().network
}
